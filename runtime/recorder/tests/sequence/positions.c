// Threads take positions in a common row. What they got is printed, for comparison with the numbers of their operations.
#include "hooked.h"

#include <signal.h>
#include <sys/resource.h>

enum { THREADS = 4, ROUNDS = 3000 };
static int next, both, taken[THREADS][ROUNDS];
static sem_t ended;

static void *work(void *number) {
    for (int i = 0; i < ROUNDS; i++) taken[(intptr_t)number][i] = SHARED((both++, next++));
    return NULL;
}

// The C library makes a thread that the recorder does not know of. It has turns like any other, but no numbers.
static void work_unseen(union sigval unused) {
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        __heddle_order_ticket();
        both++;
        __heddle_order_done();
    }
    sem_post(&ended);
}

static void begin_unseen(void) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = work_unseen};
    struct itimerspec at_once = {.it_value = {.tv_nsec = 1}};
    timer_t timer;
    CHECK(!sem_init(&ended, 0, 0));
    CHECK(!timer_create(CLOCK_MONOTONIC, &event, &timer) && !timer_settime(timer, 0, &at_once, NULL));
}

int main(int argc, char **argv) {
    if (argc > 1) {
        struct rlimit limit = {strtoull(argv[1], NULL, 10), RLIM_INFINITY};
        CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
    }
    begin_unseen();
    run_threads(THREADS, work);
    CHECK(!sem_wait(&ended));
    // Without turns these are races.
    if (has_turns()) CHECK(both == (THREADS + 1) * ROUNDS);
    for (int thread = 0; thread < THREADS; thread++) {
        for (int i = 0; i < ROUNDS; i++) printf("%d ", taken[thread][i]);
        printf("\n");
    }
    return finish(0);
}
