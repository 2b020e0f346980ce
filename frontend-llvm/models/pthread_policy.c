/* Settings of threads and the scheduler that make no difference here: every one is accepted. A process never forks,
 * no signal arrives, no thread is cancelled, and all processors and priorities are alike. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include "model.h"

static _Thread_local int cancel_state;
static _Thread_local int cancel_type;

int pthread_setcancelstate(int state, int *old) {
    if (old != NULL) {
        *old = cancel_state;
    }
    cancel_state = state;
    return 0;
}

int pthread_setcanceltype(int type, int *old) {
    if (old != NULL) {
        *old = cancel_type;
    }
    cancel_type = type;
    return 0;
}

void pthread_testcancel(void) {}

static int concurrency_level;

int pthread_setconcurrency(int level) {
    concurrency_level = level;
    return 0;
}

int pthread_getconcurrency(void) { return concurrency_level; }

int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void)) {
    (void)prepare;
    (void)parent;
    (void)child;
    return 0;
}

int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *library) {
    (void)library;
    return pthread_atfork(prepare, parent, child);
}

static _Thread_local sigset_t blocked;

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
    if (old != NULL) {
        *old = blocked;
    }
    if (set == NULL) {
        return 0;
    }
    for (size_t i = 0; i < sizeof set->__val / sizeof set->__val[0]; i++) {
        unsigned long bits = set->__val[i];
        if (how == SIG_BLOCK) {
            blocked.__val[i] |= bits;
        } else if (how == SIG_UNBLOCK) {
            blocked.__val[i] &= ~bits;
        } else {
            blocked.__val[i] = bits;
        }
    }
    return 0;
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old) { return pthread_sigmask(how, set, old); }

int sigemptyset(sigset_t *set) {
    memset(set, 0, sizeof *set);
    return 0;
}

int sigfillset(sigset_t *set) {
    memset(set, 0xff, sizeof *set);
    return 0;
}

static int change_set(sigset_t *set, int signal, int present) {
    if (signal < 1 || signal > 64) {
        errno = EINVAL;
        return -1;
    }
    unsigned long bit = 1ul << (signal - 1);
    set->__val[0] = present ? set->__val[0] | bit : set->__val[0] & ~bit;
    return 0;
}

int sigaddset(sigset_t *set, int signal) { return change_set(set, signal, 1); }

int sigdelset(sigset_t *set, int signal) { return change_set(set, signal, 0); }

int sigismember(const sigset_t *set, int signal) {
    if (signal < 1 || signal > 64) {
        errno = EINVAL;
        return -1;
    }
    return (set->__val[0] >> (signal - 1)) & 1;
}

int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *parameters) {
    (void)thread;
    (void)policy;
    (void)parameters;
    return 0;
}

int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *parameters) {
    (void)thread;
    *policy = SCHED_OTHER;
    parameters->sched_priority = 0;
    return 0;
}

int pthread_setschedprio(pthread_t thread, int priority) {
    (void)thread;
    (void)priority;
    return 0;
}

int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set) {
    (void)thread;
    (void)size;
    (void)set;
    return 0;
}

int sched_setaffinity(pid_t process, size_t size, const cpu_set_t *set) {
    (void)process;
    (void)size;
    (void)set;
    return 0;
}

/* The number of processors agrees with sysconf. */
static void fill_set(size_t size, cpu_set_t *set) {
    memset(set, 0, size);
    set->__bits[0] = 3;
}

int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set) {
    (void)thread;
    if (size < 8) {
        return EINVAL;
    }
    fill_set(size, set);
    return 0;
}

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set) {
    (void)process;
    if (size < 8) {
        errno = EINVAL;
        return -1;
    }
    fill_set(size, set);
    return 0;
}

int __sched_cpucount(size_t size, const cpu_set_t *set) {
    int count = 0;
    for (size_t i = 0; i < size / sizeof set->__bits[0]; i++) {
        count += __builtin_popcountl(set->__bits[i]);
    }
    return count;
}

int sched_setscheduler(pid_t process, int policy, const struct sched_param *parameters) {
    (void)process;
    (void)policy;
    (void)parameters;
    return 0;
}

int sched_getscheduler(pid_t process) {
    (void)process;
    return SCHED_OTHER;
}

int sched_setparam(pid_t process, const struct sched_param *parameters) {
    (void)process;
    (void)parameters;
    return 0;
}

int sched_getparam(pid_t process, struct sched_param *parameters) {
    (void)process;
    parameters->sched_priority = 0;
    return 0;
}

int sched_get_priority_max(int policy) { return policy == SCHED_FIFO || policy == SCHED_RR ? 99 : 0; }

int sched_get_priority_min(int policy) { return policy == SCHED_FIFO || policy == SCHED_RR ? 1 : 0; }

int sched_getcpu(void) { return 0; }

int sched_yield(void) {
    __heddle_thread_yield();
    return 0;
}
