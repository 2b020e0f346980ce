// Signal handlers of the program; the first argument says what they do.
#include "recorded.h"

static sigjmp_buf away;
static jmp_buf inside;
static volatile int handled;

static void plain(int signal) {
    handled = signal;
    for (int i = 0; i < 100; i++) decide(true);
}

static void informed(int signal, siginfo_t *info, void *context) {
    CHECK(info->si_signo == signal && info->si_pid == getpid() && context);
    plain(signal);
}

static void leaves(int signal) {
    plain(signal);
    siglongjmp(away, 1);
}

static void jumps_inside(int signal) {
    plain(signal);
    if (!setjmp(inside)) longjmp(inside, 1);
}

static void leaves_inner(int signal) {
    plain(signal);
    if (!setjmp(inside)) raise(SIGUSR2);
}

static void to_outer(int signal) {
    plain(signal);
    longjmp(inside, 1);
}

static char *page;

static void repairs(int signal) {
    plain(signal);
    CHECK(!mprotect(page, 4096, PROT_READ | PROT_WRITE));
}

static void exits(int signal) {
    plain(signal);
    _exit(21);
}

static void dies_again(int number) {
    plain(number);
    signal(number, SIG_DFL);
    raise(number);
}

static void crashes(int signal) {
    plain(signal);
    *(volatile int *)16 = 1;
}

static void forks(int signal) {
    plain(signal);
    pid_t child = fork();
    if (child == 0) {
        decide_many(1000);
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

__attribute__((noinline)) static void crash(void) { *(volatile int *)8 = 1; }

static void install(int signal, void (*handler)(int), int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, back;
    CHECK(!sigaction(signal, &action, NULL));
    CHECK(!sigaction(signal, NULL, &back));
    CHECK(back.sa_handler == handler && (back.sa_flags & ~0x04000000) == flags);
}

static void asks(void) {
    struct sigaction action = {.sa_handler = SIG_IGN}, back;
    CHECK(!sigaction(SIGSEGV, NULL, &back) && back.sa_handler == SIG_DFL && back.sa_flags == 0);
    CHECK(!sigaction(SIGSEGV, &action, &back) && back.sa_handler == SIG_DFL);
    CHECK(signal(SIGSEGV, plain) == SIG_IGN);
    CHECK(signal(SIGSEGV, leaves) == plain);
    CHECK(signal(SIGSEGV, SIG_DFL) == leaves);
    CHECK(!sigaction(SIGSEGV, NULL, &back) && back.sa_handler == SIG_DFL);
    CHECK(signal(SIGUSR1, plain) == SIG_DFL);
    CHECK(sysv_signal(SIGUSR1, leaves) == plain);
    CHECK(!sigaction(SIGUSR1, NULL, &back) && back.sa_handler == leaves && back.sa_flags & SA_RESETHAND);
    CHECK(signal(SIGUSR1, SIG_DFL) == leaves);
    CHECK(sysv_signal(SIGUSR1, plain) == SIG_DFL);
    raise(SIGUSR1);
    CHECK(handled == SIGUSR1);
    CHECK(!sigaction(SIGUSR1, NULL, &back) && back.sa_handler == SIG_DFL);
    CHECK(sigaction(SIGKILL, &action, NULL) == -1 && errno == EINVAL);
    CHECK(signal(SIGKILL, plain) == SIG_ERR && errno == EINVAL);
    CHECK(sigaction(100, &action, NULL) == -1 && errno == EINVAL);
    CHECK(sigset(SIGUSR2, plain) == SIG_DFL);
    CHECK(sigset(SIGUSR2, SIG_HOLD) == plain);
    CHECK(sigset(SIGUSR2, SIG_DFL) == SIG_HOLD);
}

int main(int argc, char **argv) {
    decide_number(5, 3);
    if (asked_for(argc, argv, "plain")) {
        install(SIGUSR1, plain, SA_RESTART);
        CHECK(!raise(SIGUSR1) && handled == SIGUSR1);
        struct sigaction action = {.sa_sigaction = informed, .sa_flags = SA_SIGINFO | SA_ONSTACK};
        CHECK(!sigaction(SIGUSR2, &action, NULL));
        CHECK(!raise(SIGUSR2) && handled == SIGUSR2);
    }
    if (asked_for(argc, argv, "ask")) asks();
    if (asked_for(argc, argv, "left")) {
        static volatile int times;
        install(SIGUSR1, leaves, 0);
        sigsetjmp(away, 1);
        decide_many(times++ ? 100 : 0);
        if (times < 4) raise(SIGUSR1);
    }
    if (asked_for(argc, argv, "left-for-good")) {
        install(SIGUSR1, leaves, 0);
        if (!sigsetjmp(away, 1)) raise(SIGUSR1);
        decide_many(100);
    }
    if (asked_for(argc, argv, "inside")) {
        install(SIGUSR1, jumps_inside, 0);
        raise(SIGUSR1);
    }
    if (asked_for(argc, argv, "inner")) {
        install(SIGUSR1, leaves_inner, 0);
        install(SIGUSR2, to_outer, 0);
        raise(SIGUSR1);
    }
    if (asked_for(argc, argv, "fork")) {
        install(SIGUSR1, forks, 0);
        raise(SIGUSR1);
    }
    if (asked_for(argc, argv, "repair")) {
        page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        install(SIGSEGV, repairs, 0);
        *(volatile char *)page = 1;
        CHECK(handled == SIGSEGV);
    }
    if (asked_for(argc, argv, "recover")) {
        install(SIGSEGV, leaves, 0);
        if (!sigsetjmp(away, 1)) crash();
    }
    if (asked_for(argc, argv, "recover-assert")) {
        install(SIGABRT, leaves, 0);
        if (!sigsetjmp(away, 1)) assert(argc == 0);
    }
    if (asked_for(argc, argv, "crash-exit")) {
        install(SIGSEGV, exits, 0);
        crash();
    }
    if (asked_for(argc, argv, "crash-again")) {
        install(SIGSEGV, dies_again, 0);
        crash();
    }
    if (asked_for(argc, argv, "crash-once")) {
        install(SIGSEGV, plain, SA_RESETHAND);
        crash();
    }
    if (asked_for(argc, argv, "crash-twice")) {
        install(SIGSEGV, crashes, 0);
        crash();
    }
    if (asked_for(argc, argv, "abort-returns")) {
        install(SIGABRT, plain, 0);
        abort();
    }
    decide_number(2, 3);
    puts("done");
    return 4;
}
