/* What programs ask of the system directly: fresh pages, and the few system calls that hand-written locks use. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "model.h"

/* Files cannot be mapped, and other system calls cannot be made: these functions are undefined on purpose. */
_Noreturn void __model_map_of_a_file(void);
_Noreturn void __model_system_call(void);
_Noreturn void __model_futex_operation(void);

void *mmap(void *wish, size_t length, int protection, int flags, int descriptor, off_t offset) {
    (void)protection;
    (void)descriptor;
    (void)offset;
    if (!(flags & MAP_ANONYMOUS) || (flags & MAP_FIXED)) {
        __model_map_of_a_file();
    }
    (void)wish;
    void *block = length == 0 ? NULL : __heddle_memory_alloc((length + 4095) & ~(size_t)4095, 4096, 1);
    if (block == NULL) {
        errno = length == 0 ? EINVAL : ENOMEM;
        return MAP_FAILED;
    }
    return block;
}

void *mmap64(void *wish, size_t length, int protection, int flags, int descriptor, off64_t offset) {
    return mmap(wish, length, protection, flags, descriptor, offset);
}

int munmap(void *block, size_t length) {
    (void)length;
    __heddle_memory_free(block);
    return 0;
}

int mprotect(void *block, size_t length, int protection) {
    (void)block;
    (void)length;
    (void)protection;
    return 0;
}

int madvise(void *block, size_t length, int advice) {
    (void)block;
    (void)length;
    (void)advice;
    return 0;
}

int mlockall(int flags) {
    (void)flags;
    return 0;
}

int getrusage(__rusage_who_t who, struct rusage *usage) {
    (void)who;
    long now = __heddle_input_clock();
    *usage = (struct rusage){.ru_utime = {.tv_sec = now / 1000000000, .tv_usec = now % 1000000000 / 1000}};
    return 0;
}

int getrlimit(__rlimit_resource_t resource, struct rlimit *limit) {
    (void)resource;
    limit->rlim_cur = RLIM_INFINITY;
    limit->rlim_max = RLIM_INFINITY;
    return 0;
}

int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit) {
    (void)resource;
    (void)limit;
    return 0;
}

/* A futex is a condition variable at its word's address. Looking at the word and falling asleep are one step, because
 * who wakes takes the same lock. */
static pthread_mutex_t futex_lock;

static long futex_wait(int *word, int expected, const struct timespec *timeout, int absolute) {
    int code = HEDDLE_OK;
    __heddle_mutex_lock(&futex_lock, NULL);
    int same = __atomic_load_n(word, __ATOMIC_SEQ_CST) == expected;
    if (same && timeout != NULL) {
        code = __heddle_cond_timedwait(word, &futex_lock, NULL);
    } else if (same) {
        code = __heddle_cond_wait(word, &futex_lock, NULL);
    }
    __heddle_mutex_unlock(&futex_lock, NULL);
    if (code == HEDDLE_TIMED_OUT) {
        clock_nanosleep(CLOCK_REALTIME, absolute ? TIMER_ABSTIME : 0, timeout, NULL);
    }
    if (!same || code == HEDDLE_TIMED_OUT) {
        errno = same ? ETIMEDOUT : EAGAIN;
        return -1;
    }
    return 0;
}

/* The kernel does not look at the word: whoever set it may be overtaken by one who sees that, goes on, and ends its
 * memory before the others are woken. How many were asleep is not known; the result is the number asked for. */
static long futex_wake(int *word, int count) {
    __heddle_mutex_lock(&futex_lock, NULL);
    if (count > 64) {
        __heddle_futex_wakeall(word);
    } else {
        for (int i = 0; i < count; i++) {
            __heddle_futex_wake(word);
        }
    }
    __heddle_mutex_unlock(&futex_lock, NULL);
    return count > 64 ? 0 : count;
}

long syscall(long number, ...) {
    va_list arguments;
    va_start(arguments, number);
    long result = 0;
    if (number == SYS_gettid) {
        result = gettid();
    } else if (number == SYS_getpid) {
        result = getpid();
    } else if (number == SYS_futex) {
        int *word = va_arg(arguments, int *);
        int operation = va_arg(arguments, int) & FUTEX_CMD_MASK;
        int value = va_arg(arguments, int);
        if (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) {
            result = futex_wait(word, value, va_arg(arguments, const struct timespec *),
                                operation == FUTEX_WAIT_BITSET);
        } else if (operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET) {
            result = futex_wake(word, value);
        } else {
            __model_futex_operation();
        }
    } else if (number == SYS_sched_yield) {
        __heddle_thread_yield();
    } else if (number != SYS_membarrier) {
        __model_system_call();
    }
    va_end(arguments);
    return result;
}
