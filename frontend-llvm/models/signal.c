/* Signals: handlers are kept, and run when the program raises the signal itself. The environment sends none, so a handler
 * for an interrupt from the keyboard or a timer is never called. Waiting for a signal has no model. */
#include "heddle.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

enum { SIGNALS = 65 };

static struct sigaction actions[SIGNALS];

static int is_signal(int number) { return number > 0 && number < SIGNALS; }

int sigaction(int number, const struct sigaction *action, struct sigaction *old) {
    if (!is_signal(number) || ((number == SIGKILL || number == SIGSTOP) && action != NULL)) {
        errno = EINVAL;
        return -1;
    }
    if (old != NULL)
        *old = actions[number];
    if (action != NULL)
        actions[number] = *action;
    return 0;
}

/* Handlers run on the stack of the thread. */
static _Thread_local stack_t other_stack = {.ss_flags = SS_DISABLE};

int sigaltstack(const stack_t *stack, stack_t *old) {
    if (old != NULL)
        *old = other_stack;
    if (stack != NULL)
        other_stack = *stack;
    return 0;
}

void (*signal(int number, void (*handler)(int)))(int) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct sigaction old;
    return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* What happens when nobody handles it: most signals end the process. */
static void by_default(int number) {
    switch (number) {
    case SIGCHLD:
    case SIGCONT:
    case SIGURG:
    case SIGWINCH:
        return;
    case SIGINT:
    case SIGTERM:
    case SIGHUP:
    case SIGPIPE:
    case SIGALRM:
    case SIGUSR1:
    case SIGUSR2:
        __heddle_process_exit(128 + number);
    default:
        __heddle_process_abort();
    }
}

int raise(int number) {
    if (!is_signal(number)) {
        errno = EINVAL;
        return -1;
    }
    struct sigaction action = actions[number];
    if (action.sa_flags & SA_SIGINFO) {
        siginfo_t information = {.si_signo = number};
        action.sa_sigaction(number, &information, NULL);
    } else if (action.sa_handler == SIG_DFL) {
        by_default(number);
    } else if (action.sa_handler != SIG_IGN) {
        action.sa_handler(number);
    }
    return 0;
}

int kill(pid_t process, int number) {
    if (process != getpid()) {
        errno = ESRCH;
        return -1;
    }
    return number == 0 ? 0 : raise(number);
}

int siginterrupt(int number, int flag) {
    (void)flag;
    return is_signal(number) ? 0 : -1;
}

unsigned alarm(unsigned seconds) {
    (void)seconds;
    return 0;
}
