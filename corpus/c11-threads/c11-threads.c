// C11 threads: a producer and a consumer with conditions, thread-specific storage with a destructor, call_once, and
// the three kinds of mutex.
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

static mtx_t lock, recursive, timed;
static cnd_t changed;
static int item, taken;
static once_flag once = ONCE_FLAG_INIT;
static int set_ups;
static tss_t key;
static atomic_int destroyed;

static void set_up(void)
{
    set_ups++;
}

static void destroy(void *value)
{
    destroyed += *(int *)value;
    free(value);
}

static int producer(void *arg)
{
    (void)arg;
    call_once(&once, set_up);
    int *own = malloc(sizeof *own);
    *own = 10;
    tss_set(key, own);
    mtx_lock(&lock);
    item = 7;
    cnd_signal(&changed);
    mtx_unlock(&lock);
    return *(int *)tss_get(key);
}

static int consumer(void *arg)
{
    struct timespec deadline;

    (void)arg;
    call_once(&once, set_up);
    int *own = malloc(sizeof *own);
    *own = 1;
    tss_set(key, own);
    timespec_get(&deadline, TIME_UTC);
    deadline.tv_sec += 60;
    mtx_lock(&lock);
    if (item == 0 && cnd_timedwait(&changed, &lock, &deadline) == thrd_timedout)
        while (item == 0)
            cnd_wait(&changed, &lock);
    taken = item;
    mtx_unlock(&lock);
    thrd_exit(taken + 1);
}

static int busy(void *arg)
{
    (void)arg;
    return mtx_trylock(&timed) == thrd_busy;
}

int main(void)
{
    thrd_t in, out, other;
    int in_result, out_result, was_busy;

    mtx_init(&lock, mtx_plain);
    mtx_init(&recursive, mtx_plain | mtx_recursive);
    mtx_init(&timed, mtx_timed);
    cnd_init(&changed);
    tss_create(&key, destroy);

    thrd_create(&out, consumer, NULL);
    thrd_create(&in, producer, NULL);
    thrd_join(in, &in_result);
    thrd_join(out, &out_result);
    printf("producer %d, consumer %d, taken %d\n", in_result, out_result, taken);
    printf("set up %d time, destroyed %d, main has none: %d\n", set_ups, destroyed, tss_get(key) == NULL);

    mtx_lock(&recursive);
    printf("recursive: %d\n", mtx_trylock(&recursive) == thrd_success);
    mtx_unlock(&recursive);
    mtx_unlock(&recursive);

    mtx_lock(&timed);
    thrd_create(&other, busy, NULL);
    thrd_join(other, &was_busy);
    mtx_unlock(&timed);
    printf("busy while held: %d, free again: %d\n", was_busy, mtx_trylock(&timed) == thrd_success);
    mtx_unlock(&timed);

    thrd_yield();
    thrd_sleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    printf("same thread %d\n", thrd_equal(thrd_current(), thrd_current()) != 0);
    tss_delete(key);
    cnd_destroy(&changed);
    mtx_destroy(&timed);
    mtx_destroy(&recursive);
    mtx_destroy(&lock);
    return 0;
}
