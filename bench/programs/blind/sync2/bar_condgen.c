#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#define WORKERS 3
#define PHASES  3

typedef struct {
    pthread_mutex_t mtx;
    pthread_cond_t  cv;
    int             need;
    int             here;
    unsigned        phase;
} barrier_t;

static barrier_t gate = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, WORKERS, 0, 0
};

static int grid[PHASES][WORKERS];

static int barrier_cross(barrier_t *b)
{
    unsigned ph;
    int serial = 0;

    pthread_mutex_lock(&b->mtx);
    ph = b->phase;
    if (++b->here == b->need) {
        b->here = 0;
        b->phase++;
        serial = 1;
        pthread_cond_broadcast(&b->cv);
    } else {
        while (b->phase == ph)
            pthread_cond_wait(&b->cv, &b->mtx);
    }
    pthread_mutex_unlock(&b->mtx);
    return serial;
}

static void *work(void *a)
{
    int me = (int)(long)a;
    int p, k, serials = 0;

    for (p = 0; p < PHASES; p++) {
        grid[p][me] = p ? grid[p - 1][(me + 1) % WORKERS] + 1 : me;
        serials += barrier_cross(&gate);
        for (k = 0; k < WORKERS; k++)
            assert(grid[p][k] == (k + p) % WORKERS + p);
    }
    return (void *)(long)serials;
}

int main(void)
{
    pthread_t th[WORKERS];
    long i, total = 0;
    void *r;

    for (i = 0; i < WORKERS; i++)
        pthread_create(&th[i], NULL, work, (void *)i);
    for (i = 0; i < WORKERS; i++) {
        pthread_join(th[i], &r);
        total += (long)r;
    }
    assert(total == PHASES);
    printf("%ld serial threads\n", total);
    return 0;
}
