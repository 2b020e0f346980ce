/* The beginning and the end of the process: the entry point, exit and what was registered to run at it. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model.h"

extern int main(int argc, char **argv, char **envp);

char **environ;
char **__environ;
char *program_invocation_name = "";
char *program_invocation_short_name = "";
char *__progname = "";
char *__progname_full = "";
void *__dso_handle;

/* libstdc++ counts references without atomic operations while this is true. */
const char __libc_single_threaded = 0;

struct handler {
    struct handler *next;
    void (*run)(void *argument);
    void (*run_with_status)(int status, void *argument);
    void *argument;
};

static struct handler *exit_handlers;
static struct handler *quick_exit_handlers;

/* Main has ended as a thread, so that the last thread ends the process. */
static int main_left;
static _Thread_local int is_main;

/* Not defined: the C library runs exit's handlers in the last thread that ends. Threads do not count each other here, for
 * then the order of their ends would matter in every program. */
_Noreturn void __model_exit_handlers_in_the_last_thread(void);

static void name_program(char *path) {
    char *name = path;
    for (char *at = path; *at != '\0'; at++) {
        if (*at == '/') {
            name = at + 1;
        }
    }
    program_invocation_name = path;
    program_invocation_short_name = name;
    __progname = name;
    __progname_full = path;
}

int __heddle_start(int argc, char **argv, char **envp) {
    /* One step, so that reports begin with the program and not with this. */
    __heddle_atomic_begin();
    is_main = 1;
    environ = envp;
    __environ = envp;
    if (argc > 0) {
        name_program(argv[0]);
    }
    __heddle_atomic_end();
    exit(main(argc, argv, envp));
}

static int add_handler(struct handler **list, struct handler made) {
    struct handler *handler = __heddle_memory_alloc(sizeof *handler, 16, 0);
    if (handler == NULL) {
        return -1;
    }
    *handler = made;
    __heddle_atomic_begin();
    handler->next = *list;
    __atomic_store_n(list, handler, __ATOMIC_RELEASE);
    __heddle_atomic_end();
    if (list == &exit_handlers && __atomic_load_n(&main_left, __ATOMIC_SEQ_CST)) {
        __model_exit_handlers_in_the_last_thread();
    }
    return 0;
}

/* A handler may register another one, which then runs next. The first look is outside of the section: a list that
 * nobody ever writes conflicts with nothing. */
static void run_handlers(struct handler **list, int status) {
    while (__atomic_load_n(list, __ATOMIC_ACQUIRE) != NULL) {
        __heddle_atomic_begin();
        struct handler *handler = *list;
        if (handler != NULL) {
            __atomic_store_n(list, handler->next, __ATOMIC_RELEASE);
        }
        __heddle_atomic_end();
        if (handler == NULL) {
            return;
        }
        if (handler->run_with_status != NULL) {
            handler->run_with_status(status, handler->argument);
        } else {
            handler->run(handler->argument);
        }
    }
}

int __cxa_atexit(void (*run)(void *), void *argument, void *library) {
    (void)library;
    return add_handler(&exit_handlers, (struct handler){.run = run, .argument = argument});
}

int __cxa_at_quick_exit(void (*run)(void *), void *library) {
    (void)library;
    return add_handler(&quick_exit_handlers, (struct handler){.run = run});
}

/* Libraries are not unloaded. */
void __cxa_finalize(void *library) { (void)library; }

static void run_plain(void *function) { ((void (*)(void))function)(); }

int atexit(void (*run)(void)) {
    return add_handler(&exit_handlers, (struct handler){.run = run_plain, .argument = (void *)run});
}

int at_quick_exit(void (*run)(void)) {
    return add_handler(&quick_exit_handlers, (struct handler){.run = run_plain, .argument = (void *)run});
}

int on_exit(void (*run)(int, void *), void *argument) {
    return add_handler(&exit_handlers, (struct handler){.run_with_status = run, .argument = argument});
}

void __model_main_leaves(void) {
    if (!is_main) {
        return;
    }
    /* Whoever registers one later looks at this flag afterwards, so that one of the two sees the other. */
    __atomic_store_n(&main_left, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&exit_handlers, __ATOMIC_SEQ_CST) != NULL) {
        __model_exit_handlers_in_the_last_thread();
    }
}

void exit(int status) {
    __model_thread_locals_end();
    run_handlers(&exit_handlers, status);
    __heddle_process_exit(status);
}

void quick_exit(int status) {
    run_handlers(&quick_exit_handlers, status);
    __heddle_process_exit(status);
}

void _exit(int status) { __heddle_process_exit(status); }

void _Exit(int status) { __heddle_process_exit(status); }

void abort(void) { __heddle_process_abort(); }
