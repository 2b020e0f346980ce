// Children, other programs, libraries; the first argument says which.
#include "recorded.h"

static void wait_for(pid_t child, int expected) {
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == expected);
}

static void *in_child(void *unused) {
    decide_many(5000);
    return unused;
}

// Whatever a child does, its parent's record must not have it.
static void as_child(void) {
    pthread_t thread;
    for (int i = 0; i < 3; i++) decide_many(10000);
    CHECK(!pthread_create(&thread, NULL, in_child, NULL) && !pthread_join(thread, NULL));
    struct heddle_buffer buffer = {"child", 5};
    __heddle_input(3, 5, 1, &buffer);
    exit(11);
}

static void after_fork(pid_t child) {
    CHECK(child >= 0);
    if (child == 0) as_child();
    decide_many(2000);
    printf("child %d\n", child);
    wait_for(child, 11);
}

// The word is held in a register while the child is made, as instrumented code does.
static void with_held_word(void) {
    uint64_t *word, bits;
    __heddle_enter(&word, &bits);
    __heddle_bit(&bits, true);
    __heddle_flush(&word, &bits);
    pid_t child = fork();
    for (int i = 0; i < 10; i++) {
        __heddle_bit(&bits, child == 0);
        __heddle_flush(&word, &bits);
    }
    if (child == 0) _exit(11);
    wait_for(child, 11);
}

static void *forks(void *unused) {
    decide(true);
    after_fork(fork());
    return unused;
}

static void *loops(void *unused) {
    for (int i = 0; i < 100; i++) decide(true);
    return unused;
}

int main(int argc, char **argv) {
    if (argc > 2) {
        // Another program has become this one: it says what it was given.
        for (int i = 1; i < argc; i++) printf("%s ", argv[i]);
        printf("%s\n", getenv("GIVEN") ? getenv("GIVEN") : "-");
        return 12;
    }
    decide(true);
    if (asked_for(argc, argv, "fork")) after_fork(fork());
    if (asked_for(argc, argv, "_Fork")) after_fork(_Fork());
    if (asked_for(argc, argv, "held")) with_held_word();
    if (asked_for(argc, argv, "thread")) {
        pthread_t threads[2];
        CHECK(!pthread_create(&threads[0], NULL, forks, NULL) && !pthread_create(&threads[1], NULL, loops, NULL));
        CHECK(!pthread_join(threads[0], NULL) && !pthread_join(threads[1], NULL));
    }
    if (asked_for(argc, argv, "vfork")) {
        pid_t child = vfork();
        if (child == 0) {
            decide_many(3000);
            signal(SIGSEGV, SIG_IGN);
            execl("/nonexistent", "none", NULL);
            _exit(errno == ENOENT ? 13 : 14);
        }
        wait_for(child, 13);
        struct sigaction action;
        CHECK(!sigaction(SIGSEGV, NULL, &action) && action.sa_handler == SIG_DFL);
        child = vfork();
        if (child == 0) {
            execl(argv[0], argv[0], "by", "vfork", NULL);
            _exit(15);
        }
        wait_for(child, 12);
    }
    if (asked_for(argc, argv, "spawn")) {
        pid_t child;
        char *arguments[] = {argv[0], "by", "spawn", NULL};
        CHECK(!posix_spawn(&child, argv[0], NULL, NULL, arguments, environ));
        wait_for(child, 12);
        fflush(stdout);
        CHECK(system("echo by system; exit 3") == 3 << 8);
        FILE *pipe = popen("echo by popen", "r");
        char line[64];
        CHECK(pipe && fgets(line, sizeof line, pipe) && !strcmp(line, "by popen\n"));
        CHECK(pclose(pipe) == 0);
    }
    fflush(stdout);
    char *arguments[] = {argv[0], "a", "b", NULL};
    char *variables[] = {"GIVEN=variables", NULL};
    if (asked_for(argc, argv, "execve")) execve(argv[0], arguments, variables);
    if (asked_for(argc, argv, "execv")) execv(argv[0], arguments);
    if (asked_for(argc, argv, "execvp")) execvp(argv[0], arguments);
    if (asked_for(argc, argv, "execvpe")) execvpe(argv[0], arguments, variables);
    if (asked_for(argc, argv, "fexecve")) fexecve(open(argv[0], O_RDONLY), arguments, variables);
    if (asked_for(argc, argv, "execl")) execl(argv[0], argv[0], "1", "2", "3", "4", "5", "6", "7", "8", "9", NULL);
    if (asked_for(argc, argv, "execlp")) execlp(argv[0], argv[0], "1", "2", "3", NULL);
    if (asked_for(argc, argv, "execle")) execle(argv[0], argv[0], "1", "2", "3", "4", "5", NULL, variables);
    if (asked_for(argc, argv, "exec-fails")) {
        errno = 0;
        CHECK(execv("/nonexistent", arguments) == -1 && errno == ENOENT);
        CHECK(execlp("nonexistent", "a", NULL) == -1 && errno == ENOENT);
    }
    if (asked_for(argc, argv, "dlopen")) {
        CHECK(dlopen(NULL, RTLD_NOW));
        CHECK(dlopen("libm.so.6", RTLD_NOW));
        CHECK(!dlopen("nonexistent.so", RTLD_NOW));
    }
    decide(false);
    puts("done");
}
