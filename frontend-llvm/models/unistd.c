/* Descriptors, sleeping, and what a process may ask about itself and its machine. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "model.h"

enum { PROCESS = 4711, PROCESSORS = 2, PAGE = 4096 };

static long fail(int number) {
    errno = number;
    return -1;
}

ssize_t read(int descriptor, void *buffer, size_t length) {
    long count = __heddle_file_read(descriptor, buffer, length);
    return count < 0 ? fail(EBADF) : count;
}

ssize_t write(int descriptor, const void *buffer, size_t length) {
    long count = __heddle_file_write(descriptor, buffer, length);
    return count < 0 ? fail(EBADF) : count;
}

/* One step for all parts, as the system makes it. */
ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    struct model_text text;
    __model_text_begin(&text);
    for (int i = 0; i < count; i++) {
        __model_text_bytes(&text, parts[i].iov_base, parts[i].iov_len);
    }
    ssize_t written = text.length == 0 ? 0 : write(descriptor, text.bytes, text.length);
    __model_text_end(&text);
    return written;
}

static int open_flags(int flags) {
    int access = flags & O_ACCMODE;
    return (access == O_RDONLY ? 1 : access == O_WRONLY ? 2 : 3) | (flags & O_APPEND ? 4 : 0) |
           (flags & O_CREAT ? 8 : 0) | (flags & O_TRUNC ? 16 : 0) | (flags & O_EXCL ? 32 : 0);
}

static int open_path(const char *path, int flags) {
    int descriptor = __heddle_file_open(path, open_flags(flags));
    if (descriptor < 0) {
        return (int)fail(flags & O_EXCL ? EEXIST : ENOENT);
    }
    return descriptor;
}

int open(const char *path, int flags, ...) { return open_path(path, flags); }

int open64(const char *path, int flags, ...) { return open_path(path, flags); }

int creat(const char *path, mode_t mode) {
    (void)mode;
    return open_path(path, O_WRONLY | O_CREAT | O_TRUNC);
}

int creat64(const char *path, mode_t mode) { return creat(path, mode); }

int close(int descriptor) { return __heddle_file_close(descriptor) < 0 ? (int)fail(EBADF) : 0; }

off_t lseek(int descriptor, off_t offset, int whence) {
    long position = __heddle_file_seek(descriptor, offset, whence);
    return position < 0 ? fail(ESPIPE) : position;
}

off64_t lseek64(int descriptor, off64_t offset, int whence) { return lseek(descriptor, offset, whence); }

int unlink(const char *path) { return __heddle_file_remove(path) < 0 ? (int)fail(ENOENT) : 0; }

/* A file that can be read exists; permissions are not modelled. */
int access(const char *path, int mode) {
    (void)mode;
    int descriptor = __heddle_file_open(path, 1);
    if (descriptor < 0) {
        return (int)fail(ENOENT);
    }
    __heddle_file_close(descriptor);
    return 0;
}

int fsync(int descriptor) {
    (void)descriptor;
    return 0;
}

int fdatasync(int descriptor) {
    (void)descriptor;
    return 0;
}

int isatty(int descriptor) {
    (void)descriptor;
    errno = ENOTTY;
    return 0;
}

/* Puts a number in place of the Xs until such a file does not exist yet. */
int mkstemp(char *template) {
    size_t length = strlen(template);
    if (length < 6 || strcmp(template + length - 6, "XXXXXX") != 0) {
        return (int)fail(EINVAL);
    }
    for (unsigned number = 0; number < 1000000; number++) {
        unsigned rest = number;
        for (size_t i = 1; i <= 6; i++, rest /= 10) {
            template[length - i] = (char)('0' + rest % 10);
        }
        int descriptor = __heddle_file_open(template, 1 | 2 | 8 | 32);
        if (descriptor >= 0) {
            return descriptor;
        }
    }
    return (int)fail(EEXIST);
}

int mkstemp64(char *template) { return mkstemp(template); }

/* The folder that the environment names. */
char *getcwd(char *buffer, size_t size) {
    const char *folder = getenv("PWD");
    if (folder == NULL || folder[0] != '/') {
        folder = "/";
    }
    size_t length = strlen(folder) + 1;
    if (buffer == NULL) {
        buffer = malloc(size > length ? size : length);
    } else if (size < length) {
        errno = size == 0 ? EINVAL : ERANGE;
        return NULL;
    }
    return strcpy(buffer, folder);
}

pid_t getpid(void) { return PROCESS; }

pid_t getppid(void) { return 1; }

pid_t getpgrp(void) { return PROCESS; }

pid_t gettid(void) { return PROCESS + (pid_t)__heddle_thread_self(); }

uid_t getuid(void) { return 1000; }

uid_t geteuid(void) { return 1000; }

gid_t getgid(void) { return 1000; }

gid_t getegid(void) { return 1000; }

int gethostname(char *name, size_t size) {
    if (size < 10) {
        return (int)fail(ENAMETOOLONG);
    }
    memcpy(name, "localhost", 10);
    return 0;
}

static void sleep_for(long seconds, long nanoseconds) {
    __heddle_thread_sleep((seconds > INT32_MAX ? INT32_MAX : seconds) * 1000000000 + nanoseconds);
}

unsigned sleep(unsigned seconds) {
    sleep_for(seconds, 0);
    return 0;
}

int usleep(useconds_t microseconds) {
    sleep_for(0, (long)microseconds * 1000);
    return 0;
}

static int nanoseconds_are_valid(const struct timespec *time) {
    return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < 1000000000;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
    (void)clock;
    (void)left;
    if (!nanoseconds_are_valid(time)) {
        return EINVAL;
    }
    if (flags & TIMER_ABSTIME) {
        __model_clock_pass(time);
        __heddle_thread_yield();
    } else {
        sleep_for(time->tv_sec, time->tv_nsec);
    }
    return 0;
}

int nanosleep(const struct timespec *time, struct timespec *left) {
    int error = clock_nanosleep(CLOCK_REALTIME, 0, time, left);
    return error == 0 ? 0 : (int)fail(error);
}

/* Waiting for no descriptor is an old way to sleep. Waiting for one is not modelled: the functions called then are
 * undefined on purpose. */
_Noreturn void __model_select_of_descriptors(void);
_Noreturn void __model_poll_of_descriptors(void);

int select(int count, fd_set *read, fd_set *write, fd_set *except, struct timeval *timeout) {
    if (count != 0 || timeout == NULL) {
        __model_select_of_descriptors();
    }
    (void)read;
    (void)write;
    (void)except;
    sleep_for(timeout->tv_sec, timeout->tv_usec * 1000);
    return 0;
}

int poll(struct pollfd *descriptors, nfds_t count, int milliseconds) {
    (void)descriptors;
    if (count != 0 || milliseconds < 0) {
        __model_poll_of_descriptors();
    }
    sleep_for(0, milliseconds * 1000000l);
    return 0;
}

long sysconf(int name);

/* What PTHREAD_STACK_MIN expands to. */
long __sysconf(int name) { return sysconf(name); }

long sysconf(int name) {
    switch (name) {
    case _SC_NPROCESSORS_ONLN:
    case _SC_NPROCESSORS_CONF:
        return PROCESSORS;
    case _SC_PAGESIZE:
        return PAGE;
    case _SC_CLK_TCK:
        return 100;
    case _SC_OPEN_MAX:
        return 1024;
    case _SC_PHYS_PAGES:
    case _SC_AVPHYS_PAGES:
        return 1l << 20;
    case _SC_THREAD_KEYS_MAX:
        return 1024;
    case _SC_THREAD_STACK_MIN:
        return 16384;
    case _SC_THREADS:
    case _SC_THREAD_SAFE_FUNCTIONS:
    case _SC_BARRIERS:
    case _SC_SPIN_LOCKS:
    case _SC_READER_WRITER_LOCKS:
    case _SC_SEMAPHORES:
    case _SC_TIMEOUTS:
    case _SC_MONOTONIC_CLOCK:
    case _SC_CLOCK_SELECTION:
        return 200809;
    case _SC_LEVEL1_DCACHE_LINESIZE:
        return 64;
    case _SC_MINSIGSTKSZ:
        return 2048;
    case _SC_SIGSTKSZ:
        return 8192;
    default:
        return fail(EINVAL);
    }
}

int getpagesize(void) { return PAGE; }

int get_nprocs(void) { return PROCESSORS; }

int get_nprocs_conf(void) { return PROCESSORS; }
