/* C11's threads.h, over the models of pthread. mtx_t and cnd_t are large enough to hold pthread's objects. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <threads.h>
#include <time.h>

#include "model.h"

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "a mutex is a pthread mutex");
_Static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "a condition is a pthread condition");

static int thread_code(int error) {
    switch (error) {
    case 0:
        return thrd_success;
    case EBUSY:
        return thrd_busy;
    case ETIMEDOUT:
        return thrd_timedout;
    case ENOMEM:
        return thrd_nomem;
    default:
        return thrd_error;
    }
}

static void *run_thread(void *function, void *argument) {
    int result = ((int (*)(void *))function)(argument);
    __model_thread_ends();
    return (void *)(intptr_t)result;
}

int thrd_create(thrd_t *thread, thrd_start_t function, void *argument) {
    int code = __heddle_thread_create(thread, run_thread, (void *)function, argument);
    return code == HEDDLE_OK ? thrd_success : thrd_nomem;
}

int thrd_join(thrd_t thread, int *result) {
    void *word = NULL;
    int code = __heddle_thread_join(thread, &word);
    if (code == HEDDLE_OK && result != NULL) {
        *result = (int)(intptr_t)word;
    }
    return thread_code(model_errno(code));
}

int thrd_detach(thrd_t thread) { return thread_code(pthread_detach(thread)); }

thrd_t thrd_current(void) { return pthread_self(); }

int thrd_equal(thrd_t left, thrd_t right) { return left == right; }

void thrd_exit(int result) { pthread_exit((void *)(intptr_t)result); }

void thrd_yield(void) { __heddle_thread_yield(); }

int thrd_sleep(const struct timespec *time, struct timespec *left) {
    return clock_nanosleep(CLOCK_REALTIME, 0, time, left) == 0 ? 0 : -2;
}

static pthread_mutex_t *mutex_of(mtx_t *mutex) { return (pthread_mutex_t *)mutex; }

int mtx_init(mtx_t *mutex, int type) {
    if ((type & ~(mtx_timed | mtx_recursive)) != 0) {
        return thrd_error;
    }
    __heddle_mutex_init(mutex, type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
    return thrd_success;
}

void mtx_destroy(mtx_t *mutex) { pthread_mutex_destroy(mutex_of(mutex)); }

int mtx_lock(mtx_t *mutex) { return thread_code(pthread_mutex_lock(mutex_of(mutex))); }

int mtx_trylock(mtx_t *mutex) { return thread_code(pthread_mutex_trylock(mutex_of(mutex))); }

int mtx_timedlock(mtx_t *mutex, const struct timespec *deadline) {
    return thread_code(pthread_mutex_timedlock(mutex_of(mutex), deadline));
}

int mtx_unlock(mtx_t *mutex) { return thread_code(pthread_mutex_unlock(mutex_of(mutex))); }

static pthread_cond_t *condition_of(cnd_t *condition) { return (pthread_cond_t *)condition; }

int cnd_init(cnd_t *condition) {
    __heddle_cond_init(condition);
    return thrd_success;
}

void cnd_destroy(cnd_t *condition) { pthread_cond_destroy(condition_of(condition)); }

int cnd_wait(cnd_t *condition, mtx_t *mutex) {
    return thread_code(pthread_cond_wait(condition_of(condition), mutex_of(mutex)));
}

int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *deadline) {
    return thread_code(pthread_cond_timedwait(condition_of(condition), mutex_of(mutex), deadline));
}

int cnd_signal(cnd_t *condition) {
    __heddle_cond_signal(condition);
    return thrd_success;
}

int cnd_broadcast(cnd_t *condition) {
    __heddle_cond_broadcast(condition);
    return thrd_success;
}

int tss_create(tss_t *key, tss_dtor_t destructor) { return thread_code(pthread_key_create(key, destructor)); }

void tss_delete(tss_t key) { pthread_key_delete(key); }

void *tss_get(tss_t key) { return pthread_getspecific(key); }

int tss_set(tss_t key, void *value) { return thread_code(pthread_setspecific(key, value)); }

void call_once(once_flag *once, void (*run)(void)) {
    if (__heddle_record_bit(__heddle_once_begin(once))) {
        run();
        __heddle_once_end(once);
    }
}
