// Ways in which a process ends; the first argument says which.
#include "recorded.h"

__attribute__((noinline)) static int overflow(int depth) {
    volatile char room[1024];
    room[0] = (char)depth;
    return overflow(depth + 1) + room[0];
}

__attribute__((noinline)) static void crash(void) { *(volatile int *)8 = 1; }

static void *in_thread(void *mode) {
    decide(true);
    if (!strcmp(mode, "thread-exit")) exit(5);
    if (!strcmp(mode, "thread-segv")) crash();
    if (!strcmp(mode, "thread-overflow")) overflow(0);
    if (!strcmp(mode, "thread-assert")) assert(mode == NULL && "a condition");
    return NULL;
}

static void *last(void *main_thread) {
    pthread_join(*(pthread_t *)main_thread, NULL);
    decide(true);
    return NULL;
}

static void at_exit(void) { decide_number(9, 4); }

int main(int argc, char **argv) {
    decide(true);
    volatile int zero = 0;
    if (argc < 2) return 3;
    if (asked_for(argc, argv, "exit")) {
        atexit(at_exit);
        exit(300);
    }
    if (asked_for(argc, argv, "_exit")) _exit(7);
    if (asked_for(argc, argv, "_Exit")) _Exit(8);
    if (asked_for(argc, argv, "quick_exit")) quick_exit(9);
    if (asked_for(argc, argv, "abort")) abort();
    if (asked_for(argc, argv, "assert")) assert(zero == 1);
    if (asked_for(argc, argv, "segv")) crash();
    if (asked_for(argc, argv, "overflow")) return overflow(0);
    if (asked_for(argc, argv, "fpe")) return 100 / zero;
    if (asked_for(argc, argv, "ill")) __builtin_trap();
    if (asked_for(argc, argv, "trap")) __asm__ volatile("int3");
    if (asked_for(argc, argv, "quit")) kill(getpid(), SIGQUIT);
    if (asked_for(argc, argv, "term")) kill(getpid(), SIGTERM);
    if (asked_for(argc, argv, "sent-segv")) kill(getpid(), SIGSEGV);
    if (asked_for(argc, argv, "sent-abort")) kill(getpid(), SIGABRT);
    if (asked_for(argc, argv, "ignored-abort")) {
        signal(SIGABRT, SIG_IGN);
        abort();
    }
    if (asked_for(argc, argv, "pthread_exit")) {
        static pthread_t self;
        self = pthread_self();
        pthread_t thread;
        CHECK(!pthread_create(&thread, NULL, last, &self));
        pthread_exit(NULL);
    }
    if (!strncmp(argv[1], "thread-", 7)) {
        pthread_t thread;
        CHECK(!pthread_create(&thread, NULL, in_thread, argv[1]));
        pthread_join(thread, NULL);
    }
    for (;;) pause();
}
