// Barriers, routines that run once, and semaphores.
#include "hooked.h"

enum { THREADS = 4, ROUNDS = 20 };
static pthread_barrier_t barrier;
static pthread_once_t control = PTHREAD_ONCE_INIT;
static once_flag c11_control = ONCE_FLAG_INIT;
static sem_t places, items, never;
static int initialised, c11_initialised;
// Without numbers nobody takes turns.
static _Atomic int arrived[ROUNDS], taken;
static _Atomic int serial;

static void initialise(void) {
    for (int i = 0; i < 10; i++) SHARED(initialised++);
}

static void c11_initialise(void) {
    CHECK(CALL(pthread_once, &control, initialise) == 0);
    for (int i = 0; i < 10; i++) SHARED(c11_initialised++);
}

static void *work(void *number) {
    if ((intptr_t)number % 2) CHECK(CALL(pthread_once, &control, initialise) == 0);
    CALL(call_once, &c11_control, c11_initialise);
    CHECK(SHARED(initialised) == 10 && SHARED(c11_initialised) == 10);
    for (int round = 0; round < ROUNDS; round++) {
        SHARED(arrived[round]++);
        int result = CALL(pthread_barrier_wait, &barrier);
        CHECK(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
        serial += result == PTHREAD_BARRIER_SERIAL_THREAD;
        CHECK(SHARED(arrived[round]) == THREADS);
    }
    return NULL;
}

static void *hand_over(void *number) {
    for (int i = 0; i < ROUNDS; i++) {
        errno = 1234;
        if ((intptr_t)number % 2) {
            CHECK(CALL(sem_wait, &places) == 0);
            CHECK(CALL(sem_post, &items) == 0);
        } else {
            struct timespec later = in_milliseconds(CLOCK_REALTIME, 1000000);
            CHECK(CALL(sem_timedwait, &items, &later) == 0);
            SHARED(taken++);
            CHECK(CALL(sem_post, &places) == 0);
        }
        CHECK(errno == 1234);
    }
    return NULL;
}

static void never_come(void) {
    struct timespec past = {0, 0}, soon = in_milliseconds(CLOCK_REALTIME, 2), wrong = {0, -1};
    CHECK(CALL(sem_trywait, &never) == -1 && errno == EAGAIN);
    CHECK(CALL(sem_timedwait, &never, &past) == -1 && errno == ETIMEDOUT);
    CHECK(CALL(sem_timedwait, &never, &soon) == -1 && errno == ETIMEDOUT);
    CHECK(CALL(sem_timedwait, &never, &wrong) == -1 && errno == EINVAL);
}

int main(void) {
    CHECK(CALL(pthread_barrier_init, &barrier, NULL, 0) == EINVAL);
    CHECK(CALL(pthread_barrier_init, &barrier, NULL, 77) == 0);
    CHECK(!pthread_barrier_destroy(&barrier));
    CHECK(CALL(pthread_barrier_init, &barrier, NULL, THREADS) == 0);
    run_threads(THREADS, work);
    CHECK(serial == ROUNDS);
    CHECK(!sem_init(&places, 0, 2) && !sem_init(&items, 0, 0) && !sem_init(&never, 0, 0));
    run_threads(THREADS, hand_over);
    CHECK(taken == THREADS / 2 * ROUNDS);
    never_come();
    // Whoever is not the last takes a second number when it goes on.
    return finish((THREADS - 1) * ROUNDS);
}
