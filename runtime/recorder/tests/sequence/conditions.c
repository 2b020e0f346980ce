// A bounded buffer, a round of signals that must arrive in order, and waits that end by their deadline.
#include "hooked.h"

enum { THREADS = 3, ITEMS = 60, PLACES = 2 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER, monotonic;
static mtx_t c11_mutex;
static cnd_t c11_condition;
static int items, sum, next, order[THREADS], c11_ready;
// How many waits fell asleep, and how many of them gave up.
static _Atomic long asleep, gave_up;

static void wait_for(pthread_cond_t *condition) {
    asleep++;
    CHECK(CALL(pthread_cond_wait, condition, &mutex) == 0);
}

// Fills and empties with the same mutex; half of the waits have a deadline that may or may not come first.
static void *produce(void *unused) {
    (void)unused;
    for (int i = 1; i <= ITEMS; i++) {
        CHECK(CALL(pthread_mutex_lock, &mutex) == 0);
        while (SHARED(items) == PLACES) {
            if (i % 2) {
                wait_for(&emptied);
                continue;
            }
            struct timespec soon = in_milliseconds(CLOCK_REALTIME, i % 3);
            asleep++;
            int result = CALL(pthread_cond_timedwait, &emptied, &mutex, &soon);
            CHECK(result == 0 || result == ETIMEDOUT);
            gave_up += result == ETIMEDOUT;
        }
        SHARED(items++);
        CHECK(CALL(pthread_cond_signal, &filled) == 0);
        CHECK(CALL(pthread_mutex_unlock, &mutex) == 0);
    }
    return NULL;
}

static void *consume(void *unused) {
    (void)unused;
    for (int i = 1; i <= ITEMS; i++) {
        CHECK(CALL(pthread_mutex_lock, &mutex) == 0);
        while (SHARED(items) == 0) wait_for(&filled);
        SHARED(items--);
        SHARED(sum++);
        CHECK(CALL(pthread_cond_broadcast, &emptied) == 0);
        CHECK(CALL(pthread_mutex_unlock, &mutex) == 0);
    }
    return NULL;
}

static void *either(void *number) { return (intptr_t)number % 2 ? produce(NULL) : consume(NULL); }

// Each falls asleep after the one before.
static void *sleep_in_order(void *number) {
    CHECK(CALL(pthread_mutex_lock, &mutex) == 0);
    while (SHARED(next) != (intptr_t)number) {
        CHECK(CALL(pthread_mutex_unlock, &mutex) == 0);
        sched_yield();
        CHECK(CALL(pthread_mutex_lock, &mutex) == 0);
    }
    SHARED(next++);
    wait_for(&filled);
    int place = SHARED(items++);
    SHARED(order[place] = (int)(intptr_t)number);
    CHECK(CALL(pthread_mutex_unlock, &mutex) == 0);
    return NULL;
}

static void wake_in_order(void) {
    items = next = 0;
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; i++) create(&threads[i], sleep_in_order, (void *)i);
    for (int woken = 0; woken < THREADS;) {
        CHECK(CALL(pthread_mutex_lock, &mutex) == 0);
        // Nobody is woken before the last one sleeps, nor before the one before has got the mutex.
        if (SHARED(next) == THREADS && SHARED(items) == woken) {
            CHECK(CALL(pthread_cond_signal, &filled) == 0);
            woken++;
        }
        CHECK(CALL(pthread_mutex_unlock, &mutex) == 0);
        sched_yield();
    }
    for (int i = 0; i < THREADS; i++) join(threads[i]);
    for (int i = 0; i < THREADS; i++) CHECK(order[i] == i);
}

static void give_up_each(void) {
    struct timespec past = {0, 0}, wrong = {0, 1000000000}, soon = in_milliseconds(CLOCK_MONOTONIC, 3);
    CHECK(CALL(pthread_mutex_lock, &mutex) == 0);
    CHECK(CALL(pthread_cond_timedwait, &filled, &mutex, &past) == ETIMEDOUT);
    CHECK(CALL(pthread_cond_timedwait, &monotonic, &mutex, &soon) == ETIMEDOUT);
    struct timespec now = in_milliseconds(CLOCK_MONOTONIC, 0);
    CHECK(now.tv_sec > soon.tv_sec || (now.tv_sec == soon.tv_sec && now.tv_nsec >= soon.tv_nsec));
    soon = in_milliseconds(CLOCK_MONOTONIC, 1);
    CHECK(CALL(pthread_cond_clockwait, &filled, &mutex, CLOCK_MONOTONIC, &soon) == ETIMEDOUT);
    asleep += 3;
    gave_up += 3;
    CHECK(CALL(pthread_cond_clockwait, &filled, &mutex, 77, &soon) == EINVAL);
    CHECK(CALL(pthread_cond_timedwait, &filled, &mutex, &wrong) == EINVAL);
    CHECK(CALL(pthread_mutex_unlock, &mutex) == 0);
}

static void *c11_wait(void *unused) {
    (void)unused;
    CHECK(CALL(mtx_lock, &c11_mutex) == thrd_success);
    while (!SHARED(c11_ready)) {
        asleep++;
        CHECK(CALL(cnd_wait, &c11_condition, &c11_mutex) == thrd_success);
    }
    struct timespec past = {0, 0};
    CHECK(CALL(cnd_timedwait, &c11_condition, &c11_mutex, &past) == thrd_timedout);
    asleep++;
    gave_up++;
    CHECK(CALL(mtx_unlock, &c11_mutex) == thrd_success);
    return NULL;
}

static void *c11_wake(void *unused) {
    (void)unused;
    CHECK(CALL(mtx_lock, &c11_mutex) == thrd_success);
    SHARED(c11_ready = 1);
    CHECK(CALL(cnd_broadcast, &c11_condition) == thrd_success);
    CHECK(CALL(cnd_signal, &c11_condition) == thrd_success);
    CHECK(CALL(mtx_unlock, &c11_mutex) == thrd_success);
    return NULL;
}

static void *c11(void *number) { return number == 0 ? c11_wake(NULL) : c11_wait(NULL); }

int main(void) {
    pthread_condattr_t attribute;
    CHECK(!pthread_condattr_init(&attribute));
    CHECK(!pthread_condattr_setclock(&attribute, CLOCK_MONOTONIC));
    CHECK(!pthread_cond_init(&monotonic, &attribute));
    CHECK(mtx_init(&c11_mutex, mtx_plain) == thrd_success && cnd_init(&c11_condition) == thrd_success);
    run_threads(2 * THREADS, either);
    CHECK(sum == THREADS * ITEMS && items == 0);
    // Waits that nobody sees cannot be put in order: without turns the library may wake anybody.
    if (has_turns()) wake_in_order();
    give_up_each();
    run_threads(THREADS, c11);
    return finish(asleep + gave_up);
}
