// Locks of all kinds protect counters that are not atomic.
#include "hooked.h"

enum { THREADS = 4, ROUNDS = 40 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, checked, recursive;
static pthread_rwlock_t readers = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static mtx_t plain;
static int counters[6], pairs[2];

static void increment(int which) {
    int before = SHARED(counters[which]);
    SHARED(counters[which] = before + 1);
}

static void *work(void *number) {
    for (int i = 0; i < ROUNDS; i++) {
        CHECK(CALL(pthread_mutex_lock, &mutex) == 0);
        increment(0);
        CHECK(CALL(pthread_mutex_unlock, &mutex) == 0);

        struct timespec later = in_milliseconds(CLOCK_REALTIME, 1000000);
        CHECK(CALL(pthread_mutex_timedlock, &checked, &later) == 0);
        CHECK(CALL(pthread_mutex_lock, &checked) == EDEADLK);
        CHECK(CALL(pthread_mutex_timedlock, &checked, &later) == EDEADLK);
        CHECK(CALL(pthread_mutex_trylock, &checked) == EBUSY);
        increment(1);
        CHECK(CALL(pthread_mutex_unlock, &checked) == 0);

        later = in_milliseconds(CLOCK_MONOTONIC, 1000000);
        CHECK(CALL(pthread_mutex_clocklock, &recursive, CLOCK_MONOTONIC, &later) == 0);
        CHECK(CALL(pthread_mutex_lock, &recursive) == 0);
        increment(2);
        CHECK(CALL(pthread_mutex_unlock, &recursive) == 0);
        CHECK(CALL(pthread_mutex_unlock, &recursive) == 0);

        CHECK(CALL(pthread_spin_lock, &spin) == 0);
        increment(3);
        CHECK(CALL(pthread_spin_unlock, &spin) == 0);

        CHECK(CALL(mtx_lock, &plain) == thrd_success);
        CHECK(CALL(mtx_trylock, &plain) == thrd_busy);
        increment(4);
        CHECK(CALL(mtx_unlock, &plain) == thrd_success);

        if (((intptr_t)number + i) % 2) {
            CHECK(CALL(pthread_rwlock_wrlock, &readers) == 0);
            CHECK(CALL(pthread_rwlock_wrlock, &readers) == EDEADLK);
            CHECK(CALL(pthread_rwlock_rdlock, &readers) == EDEADLK);
            CHECK(CALL(pthread_rwlock_tryrdlock, &readers) == EBUSY);
            increment(5);
            SHARED(pairs[0]++);
            SHARED(pairs[1]++);
        } else {
            CHECK(CALL(pthread_rwlock_rdlock, &readers) == 0);
            CHECK(CALL(pthread_rwlock_rdlock, &readers) == 0);
            CHECK(CALL(pthread_rwlock_trywrlock, &readers) == EBUSY);
            int first = SHARED(pairs[0]);
            CHECK(first == SHARED(pairs[1]));
            CHECK(CALL(pthread_rwlock_unlock, &readers) == 0);
        }
        CHECK(CALL(pthread_rwlock_unlock, &readers) == 0);
    }
    return NULL;
}

static void *try(void *unused) {
    (void)unused;
    struct timespec past = {0, 0}, soon = in_milliseconds(CLOCK_REALTIME, 2), wrong = {0, -1};
    CHECK(CALL(pthread_mutex_trylock, &mutex) == EBUSY);
    CHECK(CALL(pthread_mutex_timedlock, &mutex, &past) == ETIMEDOUT);
    CHECK(CALL(pthread_mutex_timedlock, &mutex, &soon) == ETIMEDOUT);
    CHECK(CALL(pthread_mutex_timedlock, &mutex, &wrong) == EINVAL);
    CHECK(CALL(pthread_mutex_clocklock, &mutex, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
    CHECK(CALL(pthread_mutex_clocklock, &mutex, 77, &past) == EINVAL);
    CHECK(CALL(mtx_timedlock, &plain, &soon) == thrd_timedout);
    CHECK(CALL(pthread_rwlock_timedrdlock, &readers, &past) == ETIMEDOUT);
    CHECK(CALL(pthread_rwlock_timedwrlock, &readers, &soon) == ETIMEDOUT);
    CHECK(CALL(pthread_rwlock_timedwrlock, &readers, &wrong) == EINVAL);
    CHECK(CALL(pthread_spin_trylock, &spin) == EBUSY);
    CHECK(CALL(pthread_mutex_unlock, &checked) == EPERM);
    return NULL;
}

int main(void) {
    pthread_mutexattr_t kind;
    CHECK(!pthread_mutexattr_init(&kind));
    CHECK(!pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK));
    CHECK(!pthread_mutex_init(&checked, &kind));
    CHECK(!pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE));
    CHECK(!pthread_mutex_init(&recursive, &kind));
    CHECK(!pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE));
    CHECK(mtx_init(&plain, mtx_timed) == thrd_success);
    run_threads(THREADS, work);
    for (int i = 0; i < 5; i++) CHECK(counters[i] == THREADS * ROUNDS);
    CHECK(counters[5] == THREADS * ROUNDS / 2);

    CHECK(CALL(pthread_mutex_lock, &mutex) == 0);
    CHECK(CALL(pthread_mutex_lock, &checked) == 0);
    CHECK(CALL(mtx_lock, &plain) == thrd_success);
    CHECK(CALL(pthread_rwlock_wrlock, &readers) == 0);
    CHECK(CALL(pthread_spin_lock, &spin) == 0);
    run_threads(2, try);
    return finish(0);
}
