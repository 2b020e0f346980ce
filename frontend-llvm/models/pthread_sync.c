/* Mutexes, condition variables, readers-writer locks, spin locks, barriers, once and semaphores of pthread, over the
 * primitives. A timed operation may time out at any moment that it would wait; the virtual clock then moves past its
 * deadline. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "model.h"

static int deadline_is_valid(const struct timespec *deadline) {
    return deadline->tv_nsec >= 0 && deadline->tv_nsec < 1000000000;
}

/* A time that does not fit in 64 bits is never over. */
void __model_clock_pass(const struct timespec *deadline) {
    __heddle_clock_pass((long)((unsigned long)deadline->tv_sec * 1000000000 + (unsigned long)deadline->tv_nsec));
}

static int timed_result(int code, const struct timespec *deadline) {
    if (code == HEDDLE_TIMED_OUT) {
        __model_clock_pass(deadline);
    }
    return model_errno(code);
}

/* The kind is in the low bits of a mutex attribute, where the C library keeps it too; bit 30 is robustness, bit 31
 * sharing between processes, both remembered and without effect. */
static int *attribute_bits(const pthread_mutexattr_t *attribute) { return (int *)(uintptr_t)attribute; }

int pthread_mutexattr_init(pthread_mutexattr_t *attribute) {
    *attribute_bits(attribute) = PTHREAD_MUTEX_DEFAULT;
    return 0;
}

int pthread_mutexattr_destroy(pthread_mutexattr_t *attribute) {
    (void)attribute;
    return 0;
}

int pthread_mutexattr_settype(pthread_mutexattr_t *attribute, int kind) {
    if (kind < PTHREAD_MUTEX_NORMAL || kind > PTHREAD_MUTEX_ADAPTIVE_NP) {
        return EINVAL;
    }
    *attribute_bits(attribute) = (*attribute_bits(attribute) & ~3) | kind;
    return 0;
}

int pthread_mutexattr_gettype(const pthread_mutexattr_t *attribute, int *kind) {
    *kind = *attribute_bits(attribute) & 3;
    return 0;
}

static int set_bit(int *bits, int which, int value, int off, int on) {
    if (value != off && value != on) {
        return EINVAL;
    }
    *bits = value == on ? *bits | which : *bits & ~which;
    return 0;
}

int pthread_mutexattr_setpshared(pthread_mutexattr_t *attribute, int shared) {
    return set_bit(attribute_bits(attribute), INT_MIN, shared, PTHREAD_PROCESS_PRIVATE, PTHREAD_PROCESS_SHARED);
}

int pthread_mutexattr_getpshared(const pthread_mutexattr_t *attribute, int *shared) {
    *shared = *attribute_bits(attribute) < 0 ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE;
    return 0;
}

/* Not defined: what a lock does whose owner died is not modelled, and whoever asks for it is told. */
void __model_robust_mutex(void);

int pthread_mutexattr_setrobust(pthread_mutexattr_t *attribute, int robust) {
    if (robust == PTHREAD_MUTEX_ROBUST)
        __model_robust_mutex();
    return set_bit(attribute_bits(attribute), 1 << 30, robust, PTHREAD_MUTEX_STALLED, PTHREAD_MUTEX_ROBUST);
}

int pthread_mutexattr_getrobust(const pthread_mutexattr_t *attribute, int *robust) {
    *robust = (*attribute_bits(attribute) >> 30) & 1 ? PTHREAD_MUTEX_ROBUST : PTHREAD_MUTEX_STALLED;
    return 0;
}

int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attribute, int protocol) {
    if (protocol != PTHREAD_PRIO_NONE && protocol != PTHREAD_PRIO_INHERIT && protocol != PTHREAD_PRIO_PROTECT) {
        return EINVAL;
    }
    *attribute_bits(attribute) = (*attribute_bits(attribute) & ~(3 << 28)) | protocol << 28;
    return 0;
}

int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *attribute, int *protocol) {
    *protocol = (*attribute_bits(attribute) >> 28) & 3;
    return 0;
}

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attribute) {
    __heddle_mutex_init(mutex, attribute == NULL ? PTHREAD_MUTEX_DEFAULT : *attribute_bits(attribute) & 3);
    return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex) { return model_errno(__heddle_mutex_destroy(mutex)); }

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    return model_errno(__heddle_mutex_lock(mutex, &mutex->__data.__kind));
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    return model_errno(__heddle_mutex_trylock(mutex, &mutex->__data.__kind));
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *deadline) {
    if (!deadline_is_valid(deadline)) {
        return EINVAL;
    }
    return timed_result(__heddle_mutex_timedlock(mutex, &mutex->__data.__kind), deadline);
}

int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *deadline) {
    (void)clock;
    return pthread_mutex_timedlock(mutex, deadline);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    return model_errno(__heddle_mutex_unlock(mutex, &mutex->__data.__kind));
}

/* No owner dies with a mutex. */
int pthread_mutex_consistent(pthread_mutex_t *mutex) {
    (void)mutex;
    return EINVAL;
}

int pthread_condattr_init(pthread_condattr_t *attribute) {
    *(int *)attribute = 0;
    return 0;
}

int pthread_condattr_destroy(pthread_condattr_t *attribute) {
    (void)attribute;
    return 0;
}

/* Bit 0 is sharing between processes, the clock is above it. All clocks are the virtual clock. */
int pthread_condattr_setclock(pthread_condattr_t *attribute, clockid_t clock) {
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) {
        return EINVAL;
    }
    *(int *)attribute = (*(int *)attribute & 1) | clock << 1;
    return 0;
}

int pthread_condattr_getclock(const pthread_condattr_t *attribute, clockid_t *clock) {
    *clock = *(const int *)attribute >> 1;
    return 0;
}

int pthread_condattr_setpshared(pthread_condattr_t *attribute, int shared) {
    return set_bit((int *)attribute, 1, shared, PTHREAD_PROCESS_PRIVATE, PTHREAD_PROCESS_SHARED);
}

int pthread_condattr_getpshared(const pthread_condattr_t *attribute, int *shared) {
    *shared = *(const int *)attribute & 1;
    return 0;
}

int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attribute) {
    (void)attribute;
    __heddle_cond_init(condition);
    return 0;
}

int pthread_cond_destroy(pthread_cond_t *condition) { return model_errno(__heddle_cond_destroy(condition)); }

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    return model_errno(__heddle_cond_wait(condition, mutex, &mutex->__data.__kind));
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *deadline) {
    if (!deadline_is_valid(deadline)) {
        return EINVAL;
    }
    return timed_result(__heddle_cond_timedwait(condition, mutex, &mutex->__data.__kind), deadline);
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *deadline) {
    (void)clock;
    return pthread_cond_timedwait(condition, mutex, deadline);
}

int pthread_cond_signal(pthread_cond_t *condition) {
    __heddle_cond_signal(condition);
    return 0;
}

int pthread_cond_broadcast(pthread_cond_t *condition) {
    __heddle_cond_broadcast(condition);
    return 0;
}

int pthread_rwlockattr_init(pthread_rwlockattr_t *attribute) {
    int *words = (int *)attribute;
    words[0] = PTHREAD_RWLOCK_DEFAULT_NP;
    words[1] = PTHREAD_PROCESS_PRIVATE;
    return 0;
}

int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attribute) {
    (void)attribute;
    return 0;
}

int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attribute, int shared) {
    ((int *)attribute)[1] = shared;
    return 0;
}

int pthread_rwlockattr_getpshared(const pthread_rwlockattr_t *attribute, int *shared) {
    *shared = ((const int *)attribute)[1];
    return 0;
}

int pthread_rwlockattr_setkind_np(pthread_rwlockattr_t *attribute, int kind) {
    ((int *)attribute)[0] = kind;
    return 0;
}

int pthread_rwlockattr_getkind_np(const pthread_rwlockattr_t *attribute, int *kind) {
    *kind = ((const int *)attribute)[0];
    return 0;
}

int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attribute) {
    (void)attribute;
    __heddle_rwlock_init(lock);
    return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t *lock) { return model_errno(__heddle_rwlock_destroy(lock)); }

int pthread_rwlock_rdlock(pthread_rwlock_t *lock) { return model_errno(__heddle_rwlock_read(lock)); }

int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) { return model_errno(__heddle_rwlock_tryread(lock)); }

int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *deadline) {
    return deadline_is_valid(deadline) ? timed_result(__heddle_rwlock_timedread(lock), deadline) : EINVAL;
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *deadline) {
    (void)clock;
    return pthread_rwlock_timedrdlock(lock, deadline);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock) { return model_errno(__heddle_rwlock_write(lock)); }

int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) { return model_errno(__heddle_rwlock_trywrite(lock)); }

int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *deadline) {
    return deadline_is_valid(deadline) ? timed_result(__heddle_rwlock_timedwrite(lock), deadline) : EINVAL;
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *deadline) {
    (void)clock;
    return pthread_rwlock_timedwrlock(lock, deadline);
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock) { return model_errno(__heddle_rwlock_unlock(lock)); }

/* A spin lock is a plain mutex: waiting and spinning differ only in time. */
int pthread_spin_init(pthread_spinlock_t *lock, int shared) {
    (void)shared;
    __heddle_mutex_init((void *)lock, PTHREAD_MUTEX_NORMAL);
    return 0;
}

int pthread_spin_destroy(pthread_spinlock_t *lock) { return model_errno(__heddle_mutex_destroy((void *)lock)); }

int pthread_spin_lock(pthread_spinlock_t *lock) { return model_errno(__heddle_mutex_lock((void *)lock, NULL)); }

int pthread_spin_trylock(pthread_spinlock_t *lock) { return model_errno(__heddle_mutex_trylock((void *)lock, NULL)); }

int pthread_spin_unlock(pthread_spinlock_t *lock) { return model_errno(__heddle_mutex_unlock((void *)lock, NULL)); }

int pthread_barrierattr_init(pthread_barrierattr_t *attribute) {
    *(int *)attribute = PTHREAD_PROCESS_PRIVATE;
    return 0;
}

int pthread_barrierattr_destroy(pthread_barrierattr_t *attribute) {
    (void)attribute;
    return 0;
}

int pthread_barrierattr_setpshared(pthread_barrierattr_t *attribute, int shared) {
    *(int *)attribute = shared;
    return 0;
}

int pthread_barrierattr_getpshared(const pthread_barrierattr_t *attribute, int *shared) {
    *shared = *(const int *)attribute;
    return 0;
}

int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attribute, unsigned int count) {
    (void)attribute;
    if (count == 0 || count > INT_MAX) {
        return EINVAL;
    }
    __heddle_barrier_init(barrier, (int)count);
    return 0;
}

int pthread_barrier_destroy(pthread_barrier_t *barrier) { return model_errno(__heddle_barrier_destroy(barrier)); }

int pthread_barrier_wait(pthread_barrier_t *barrier) {
    return __heddle_barrier_wait(barrier) == 1 ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

static int semaphore_result(int error) {
    if (error == 0) {
        return 0;
    }
    errno = error;
    return -1;
}

int sem_init(sem_t *semaphore, int shared, unsigned int value) {
    (void)shared;
    if (value > SEM_VALUE_MAX) {
        return semaphore_result(EINVAL);
    }
    __heddle_sem_init(semaphore, (int)value);
    return 0;
}

int sem_destroy(sem_t *semaphore) { return semaphore_result(model_errno(__heddle_sem_destroy(semaphore))); }

int sem_wait(sem_t *semaphore) { return semaphore_result(model_errno(__heddle_sem_wait(semaphore))); }

int sem_trywait(sem_t *semaphore) {
    int code = __heddle_sem_trywait(semaphore);
    return semaphore_result(code == HEDDLE_BUSY ? EAGAIN : model_errno(code));
}

int sem_timedwait(sem_t *semaphore, const struct timespec *deadline) {
    if (!deadline_is_valid(deadline)) {
        return semaphore_result(EINVAL);
    }
    return semaphore_result(timed_result(__heddle_sem_timedwait(semaphore), deadline));
}

int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *deadline) {
    (void)clock;
    return sem_timedwait(semaphore, deadline);
}

int sem_post(sem_t *semaphore) {
    int code = __heddle_sem_post(semaphore);
    return semaphore_result(code == HEDDLE_INVALID ? EOVERFLOW : model_errno(code));
}

int sem_getvalue(sem_t *semaphore, int *value) {
    *value = __heddle_sem_value(semaphore);
    return 0;
}
