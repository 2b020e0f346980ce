/* Relaxation of a small strip, two buffers, one barrier per sweep. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#define NTHREADS 3
#define ROUNDS   3

struct gbar {
    volatile int arrived;
    volatile int generation;
    int          parties;
};

static struct gbar bar = { 0, 0, NTHREADS };
static int strip[2][NTHREADS + 2] = { { 1, 0, 0, 0, 1 }, { 1, 0, 0, 0, 1 } };

static void gbar_wait(struct gbar *b)
{
    int gen = b->generation;

    if (__sync_add_and_fetch(&b->arrived, 1) == b->parties) {
        b->arrived = 0;
        __sync_fetch_and_add(&b->generation, 1);
    } else {
        while (b->generation == gen)
            sched_yield();
    }
}

static void *worker(void *arg)
{
    int id = (int)(long)arg, r;

    for (r = 0; r < ROUNDS; r++) {
        int *src = strip[r & 1];
        int *dst = strip[(r + 1) & 1];
        dst[id + 1] = src[id] + src[id + 2];
        gbar_wait(&bar);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[NTHREADS];
    long i;

    for (i = 0; i < NTHREADS; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (i = 0; i < NTHREADS; i++)
        pthread_join(t[i], NULL);
    /* 0 0 0 -> 1 0 1 -> 1 2 1 -> 3 2 3 */
    assert(strip[1][1] == 3 && strip[1][2] == 2 && strip[1][3] == 3);
    printf("%d %d %d\n", strip[1][1], strip[1][2], strip[1][3]);
    return 0;
}
