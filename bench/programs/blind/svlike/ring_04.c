#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#define N 4
#define ROUNDS 2

static sem_t slot[N];
static int hops;

static void *node(void *arg)
{
    int id = (int)(long)arg;
    for (int r = 0; r < ROUNDS; r++) {
        sem_wait(&slot[id]);
        assert(hops % N == id);
        hops++;
        sem_post(&slot[(id + 1) % N]);
    }
    return 0;
}

int main(void)
{
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        sem_init(&slot[i], 0, i == 0);
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], 0, node, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    assert(hops == N * ROUNDS);
    return 0;
}
