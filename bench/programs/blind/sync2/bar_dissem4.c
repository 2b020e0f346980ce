/* Dissemination barrier with consumable flags. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#define N      4
#define LOG    2
#define ROUNDS 2

static atomic_int flag[LOG][N];
static atomic_int seen[N];

#define SIGNAL(f) atomic_store(&(f), 1)
#define CONSUME(f)                        \
    do {                                  \
        while (!atomic_load(&(f)))        \
            sched_yield();                \
        atomic_store(&(f), 0);            \
    } while (0)

static void dissem(int me)
{
    int k, dist;

    for (k = 0, dist = 1; dist < N; k++, dist <<= 1) {
        SIGNAL(flag[k][(me + dist) % N]);
        CONSUME(flag[k][me]);
    }
}

static void *node(void *arg)
{
    int me = (int)(long)arg;
    int r, j;

    for (r = 1; r <= ROUNDS; r++) {
        atomic_store(&seen[me], r);
        dissem(me);
        for (j = 0; j < N; j++)
            assert(atomic_load(&seen[j]) >= r);
        usleep(20000);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[N];
    long i;

    for (i = 0; i < N; i++)
        pthread_create(&t[i], NULL, node, (void *)i);
    for (i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    puts("all rounds done");
    return 0;
}
