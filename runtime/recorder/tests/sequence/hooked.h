// What a program has that was built with hooks at its shared operations, written by hand: the functions that may wait are
// replaced, others are between a ticket and its end.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "hooks.c"
#include "order.c"

void *const __heddle_functions[] = {NULL};
const uint32_t __heddle_function_count = 1;
const uint8_t __heddle_identity[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
const uint32_t __heddle_hooked = 1;

// The threads' tickets, counted by themselves.
static _Atomic uint64_t tickets;

static void ticket(void) {
    tickets++;
    __heddle_order_ticket();
}

// An operation that others may see.
#define SHARED(operation)                                                                                              \
    ({                                                                                                                 \
        ticket();                                                                                                      \
        __auto_type result_ = (operation);                                                                             \
        __heddle_order_done();                                                                                         \
        result_;                                                                                                       \
    })

#define REPLACE(name) __typeof__(name) __heddle_seq_##name;
REPLACE(pthread_mutex_lock)
REPLACE(pthread_mutex_trylock)
REPLACE(pthread_mutex_timedlock)
REPLACE(pthread_mutex_clocklock)
REPLACE(pthread_mutex_unlock)
REPLACE(pthread_cond_wait)
REPLACE(pthread_cond_timedwait)
REPLACE(pthread_cond_clockwait)
REPLACE(pthread_cond_signal)
REPLACE(pthread_cond_broadcast)
REPLACE(pthread_rwlock_rdlock)
REPLACE(pthread_rwlock_tryrdlock)
REPLACE(pthread_rwlock_timedrdlock)
REPLACE(pthread_rwlock_wrlock)
REPLACE(pthread_rwlock_trywrlock)
REPLACE(pthread_rwlock_timedwrlock)
REPLACE(pthread_rwlock_unlock)
REPLACE(pthread_spin_lock)
REPLACE(pthread_spin_trylock)
REPLACE(pthread_spin_unlock)
REPLACE(pthread_barrier_init)
REPLACE(pthread_barrier_wait)
REPLACE(sem_wait)
REPLACE(sem_trywait)
REPLACE(sem_timedwait)
REPLACE(sem_post)
REPLACE(mtx_lock)
REPLACE(mtx_trylock)
REPLACE(mtx_timedlock)
REPLACE(mtx_unlock)
REPLACE(cnd_wait)
REPLACE(cnd_timedwait)
REPLACE(cnd_signal)
REPLACE(cnd_broadcast)
REPLACE(call_once)

// A call as instrumented code makes it.
#define CALL(name, ...) (ticket(), __heddle_seq_##name(__VA_ARGS__))

static void check(bool holds, const char *what, int line) {
    if (!holds) {
        fprintf(stderr, "line %d: %s (errno %d)\n", line, what, errno);
        _exit(99);
    }
}
#define CHECK(condition) check(condition, #condition, __LINE__)

static inline void create(pthread_t *thread, void *(*start)(void *), void *argument) {
    CHECK(SHARED(pthread_create(thread, NULL, start, argument)) == 0);
}

static inline void join(pthread_t thread) {
    CHECK(pthread_join(thread, NULL) == 0);
    ticket();
    __heddle_order_done();
}

// Runs a function in so many threads, each with its number, and waits for them.
static inline void run_threads(int count, void *(*start)(void *)) {
    pthread_t threads[count];
    for (intptr_t i = 0; i < count; i++) create(&threads[i], start, (void *)i);
    for (int i = 0; i < count; i++) join(threads[i]);
}

static inline struct timespec in_milliseconds(clockid_t clock, long milliseconds) {
    struct timespec time;
    CHECK(clock_gettime(clock, &time) == 0);
    time.tv_nsec += milliseconds % 1000 * 1000000;
    time.tv_sec += milliseconds / 1000 + time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

// Whether only one thread at a time does something that others may see.
static inline bool has_turns(void) { return getenv("HEDDLE_SEQUENCE") && getenv("HEDDLE_SPOOL"); }

// How many tickets there were, and how many numbers more than that, for the test.
static int finish(long more) {
    printf("%ld\n", (long)tickets + more);
    return 0;
}
