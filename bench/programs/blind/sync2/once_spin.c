#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    volatile int lock;
    volatile int done;
} once_ctl;

#define ONCE_CTL_INIT { 0, 0 }

static void run_once(once_ctl *o, void (*fn)(void))
{
    if (!o->done) {
        while (__sync_lock_test_and_set(&o->lock, 1))
            sched_yield();
        if (!o->done) {
            fn();
            __sync_synchronize();
            o->done = 1;
        }
        __sync_lock_release(&o->lock);
    }
    __sync_synchronize();
}

static once_ctl ctl = ONCE_CTL_INIT;
static int *pool;
static int  opened;

static void open_pool(void)
{
    int i;

    pool = malloc(4 * sizeof *pool);
    for (i = 0; i < 4; i++)
        pool[i] = 100 + i;
    opened++;
}

static void *take(void *arg)
{
    int k = (int)(long)arg;

    run_once(&ctl, open_pool);
    assert(pool != NULL);
    return (void *)(long)pool[k];
}

int main(void)
{
    pthread_t t[4];
    void *v;
    long i, sum = 0;

    for (i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, take, (void *)i);
    for (i = 0; i < 4; i++) {
        pthread_join(t[i], &v);
        sum += (long)v;
    }
    assert(sum == 406 && opened == 1);
    printf("sum %ld\n", sum);
    free(pool);
    return 0;
}
