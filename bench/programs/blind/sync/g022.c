#include <pthread.h>
#include <stdint.h>

#define N_WORKERS 3

typedef struct phaser {
    volatile uint32_t arrived;
    volatile uint32_t epoch;
} phaser;

static phaser ph;
int cells[N_WORKERS];
int shadow[N_WORKERS];

static void phaser_arrive_and_wait(phaser *p)
{
    uint32_t e = p->epoch;

    if (__sync_add_and_fetch(&p->arrived, 1) == N_WORKERS) {
        p->epoch = e + 1;
        p->arrived = 0;
    } else {
        while (p->epoch == e)
            __builtin_ia32_pause();
    }
}

static void relax(int k)
{
    int left  = cells[(k + N_WORKERS - 1) % N_WORKERS];
    int right = cells[(k + 1) % N_WORKERS];

    shadow[k] = (left + right) / 2;
}

static void *worker(void *arg)
{
    int k = (int)(intptr_t)arg;

    cells[k] = 8 * k;
    phaser_arrive_and_wait(&ph);
    relax(k);
    phaser_arrive_and_wait(&ph);
    cells[k] = shadow[k];
    return NULL;
}

int main(void)
{
    pthread_t w[N_WORKERS];

    for (intptr_t k = 0; k < N_WORKERS; k++)
        pthread_create(w + k, NULL, worker, (void *)k);
    for (int k = 0; k < N_WORKERS; k++)
        pthread_join(w[k], NULL);
    return 0;
}
