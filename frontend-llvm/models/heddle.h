/* The primitives of heddle's IR as C functions: `__heddle_mutex_lock` is `mutex.lock`. Only models include this. The
 * meaning of each is in ir/src/primitive.rs; a test compares the two lists. */
#ifndef HEDDLE_H
#define HEDDLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define _Noreturn [[noreturn]]
extern "C" {
#endif

enum {
    HEDDLE_OK = 0,
    HEDDLE_BUSY = 1,
    HEDDLE_DEADLOCK = 2,
    HEDDLE_TIMED_OUT = 3,
    HEDDLE_NOT_OWNER = 4,
    HEDDLE_INVALID = 5,
    HEDDLE_INTERRUPTED = 6,
};

void __heddle_mutex_init(void *mutex, int kind);
int __heddle_mutex_destroy(void *mutex);
int __heddle_mutex_lock(void *mutex, const void *kind);
int __heddle_mutex_trylock(void *mutex, const void *kind);
int __heddle_mutex_timedlock(void *mutex, const void *kind);
int __heddle_mutex_unlock(void *mutex, const void *kind);

void __heddle_cond_init(void *cond);
int __heddle_cond_destroy(void *cond);
int __heddle_cond_wait(void *cond, void *mutex, const void *kind);
int __heddle_cond_timedwait(void *cond, void *mutex, const void *kind);
void __heddle_cond_signal(void *cond);
void __heddle_cond_broadcast(void *cond);
void __heddle_futex_wake(void *word);
void __heddle_futex_wakeall(void *word);

int __heddle_monitor_wait(void *cond, void *mutex, const void *kind);

void __heddle_rwlock_init(void *lock);
int __heddle_rwlock_destroy(void *lock);
int __heddle_rwlock_read(void *lock);
int __heddle_rwlock_tryread(void *lock);
int __heddle_rwlock_timedread(void *lock);
int __heddle_rwlock_write(void *lock);
int __heddle_rwlock_trywrite(void *lock);
int __heddle_rwlock_timedwrite(void *lock);
int __heddle_rwlock_unlock(void *lock);

void __heddle_sem_init(void *sem, int value);
int __heddle_sem_destroy(void *sem);
int __heddle_sem_wait(void *sem);
int __heddle_sem_trywait(void *sem);
int __heddle_sem_timedwait(void *sem);
int __heddle_sem_post(void *sem);
int __heddle_sem_value(void *sem);

void __heddle_barrier_init(void *barrier, int count);
int __heddle_barrier_destroy(void *barrier);
int __heddle_barrier_wait(void *barrier);

void __heddle_latch_init(void *latch, int count);
void __heddle_latch_down(void *latch, int by);
void __heddle_latch_wait(void *latch);

int __heddle_once_begin(void *once);
/* Passes on a bit that a recorder writes down. */
int __heddle_record_bit(int bit);
/* Passes on a number of that many bits that a recorder writes down. */
long __heddle_record_value(long value, int width);
/* The next operation has a number in the order of all threads. */
void __heddle_order_ticket(void);
void __heddle_once_end(void *once);
void __heddle_once_cancel(void *once);

/* The new thread runs start(function, argument). */
int __heddle_thread_create(void *handle, void *(*start)(void *, void *), void *function, void *argument);
int __heddle_thread_join(unsigned long thread, void **result);
int __heddle_thread_tryjoin(unsigned long thread, void **result);
int __heddle_thread_timedjoin(unsigned long thread, void **result);
int __heddle_thread_detach(unsigned long thread);
int __heddle_thread_interrupt(unsigned long thread);
unsigned long __heddle_thread_self(void);
_Noreturn void __heddle_thread_exit(void *result);
_Noreturn void __heddle_thread_fail(void *thrown);
void __heddle_thread_yield(void);
void __heddle_thread_sleep(long nanoseconds);

int __heddle_unwind_depth(void);
void *__heddle_unwind_table(int call);
_Noreturn void __heddle_unwind_land(int call, void *exception, int selector);

void __heddle_atomic_begin(void);
void __heddle_atomic_end(void);

void *__heddle_memory_alloc(size_t size, size_t align, int zeroed);
void __heddle_memory_free(void *block);
size_t __heddle_memory_size(void *block);

_Noreturn void __heddle_process_exit(int status);
_Noreturn void __heddle_process_abort(void);
_Noreturn void __heddle_process_fail(const char *condition, const char *file, int line, const char *function);
_Noreturn void __heddle_process_uncaught(const char *what);
void __heddle_process_assume(int condition);

long __heddle_input_choose(int bits);
char *__heddle_input_variable(const char *name);
long __heddle_input_clock(void);
void __heddle_clock_pass(long time);

int __heddle_file_open(const char *path, int flags);
int __heddle_file_close(int descriptor);
long __heddle_file_read(int descriptor, void *buffer, size_t length);
long __heddle_file_write(int descriptor, const void *buffer, size_t length);
long __heddle_file_seek(int descriptor, long offset, int whence);
int __heddle_file_remove(const char *path);

long __heddle_float_format(char *buffer, size_t size, int conversion, int precision, int alternate, long double value);
double __heddle_float_parse(const char *text, size_t length);

#ifdef __cplusplus
}
#endif

#endif
