// How often the heap was asked for something, and whether everything else is as always.
#include "recorded.h"

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
static volatile int asked;

void *malloc(size_t bytes) {
    __atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED);
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
    __atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED);
    return __libc_calloc(count, bytes);
}

static void handler(int signal) { (void)signal; }

static void *thread(void *unused) {
    decide_many(100000);
    struct heddle_buffer buffer = {"abc", 3};
    for (int i = 0; i < 10000; i++) __heddle_input(1, 1, 1, &buffer);
    return unused;
}

int main(void) {
    int before = asked;
    for (int i = 0; i < 10; i++) {
        pthread_t child;
        CHECK(!pthread_create(&child, NULL, thread, NULL) && !pthread_join(child, NULL));
    }
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    pid_t child = fork();
    if (child == 0) _exit(0);
    CHECK(waitpid(child, NULL, 0) == child);
    // The library keeps the stacks of ended threads; that is the same with and without a recorder.
    char line[64];
    int length = snprintf(line, sizeof line, "%d and %d\n", before, asked);
    CHECK(write(1, line, length) == length);
}
