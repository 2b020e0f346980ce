// Library functions that call the program back, handlers, jumps and children in the middle of operations.
#include "hooked.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>

enum { THREADS = 3, ITEMS = 30 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int compared, handled;
static _Thread_local sigjmp_buf back;

static int compare(const void *left, const void *right) {
    CHECK(CALL(pthread_mutex_lock, &mutex) == 0);
    SHARED(compared++);
    CHECK(CALL(pthread_mutex_unlock, &mutex) == 0);
    return *(const int *)left - *(const int *)right;
}

static void *sort(void *unused) {
    (void)unused;
    int numbers[ITEMS];
    for (int i = 0; i < ITEMS; i++) numbers[i] = i * 7 % ITEMS;
    SHARED((qsort(numbers, ITEMS, sizeof *numbers, compare), 0));
    for (int i = 0; i < ITEMS; i++) CHECK(numbers[i] == i);
    return NULL;
}

// Leaves an operation in its middle.
__attribute__((noinline)) static void leave(void) { SHARED((siglongjmp(back, 1), 0)); }

static void *jump(void *unused) {
    (void)unused;
    for (volatile int i = 0; i < ITEMS; i++) {
        if (sigsetjmp(back, 0) == 0) leave();
        SHARED(compared++);
    }
    return NULL;
}

// What handlers do has no numbers, and their tickets are none.
static void handle(int signal) {
    (void)signal;
    __heddle_order_ticket();
    // Handlers take no turns: this is all that keeps them from losing a count.
    __atomic_fetch_add(&handled, 1, __ATOMIC_SEQ_CST);
    __heddle_order_done();
}

static void *interrupt(void *unused) {
    (void)unused;
    for (int i = 0; i < ITEMS; i++) {
        CHECK(SHARED(raise(SIGUSR1)) == 0);
        CHECK(raise(SIGUSR1) == 0);
    }
    return NULL;
}

static void jump_out(int signal) {
    (void)signal;
    siglongjmp(back, 1);
}

// What comes after has no numbers, but it still has turns.
static void *escape(void *unused) {
    (void)unused;
    if (sigsetjmp(back, 1) == 0) SHARED(raise(SIGUSR2));
    for (int i = 0; i < ITEMS; i++) {
        CHECK(CALL(pthread_mutex_lock, &mutex) == 0);
        SHARED(compared++);
        CHECK(CALL(pthread_mutex_unlock, &mutex) == 0);
    }
    return NULL;
}

static int in_child(void) {
    // A child has no spool, and locks that others held are not its own.
    SHARED(compared++);
    CHECK(CALL(pthread_mutex_trylock, &mutex) == 0);
    CHECK(CALL(pthread_mutex_unlock, &mutex) == 0);
    return 7;
}

int main(int argc, char **argv) {
    struct sigaction action = {.sa_handler = handle};
    CHECK(!sigaction(SIGUSR1, &action, NULL));
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "sort")) run_threads(THREADS, sort);
    if (!strcmp(what, "jump")) run_threads(THREADS, jump);
    if (!strcmp(what, "interrupt")) {
        run_threads(THREADS, interrupt);
        CHECK(handled == 2 * THREADS * ITEMS);
    }
    if (!strcmp(what, "escape")) {
        CHECK(signal(SIGUSR2, jump_out) != SIG_ERR);
        run_threads(THREADS, escape);
        CHECK(compared == THREADS * ITEMS);
    }
    if (!strcmp(what, "fork")) {
        // The child begins in the middle of an operation.
        pid_t child = SHARED(fork());
        if (child == 0) _exit(in_child());
        int status;
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    }
    return finish(0);
}
