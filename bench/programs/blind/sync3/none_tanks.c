#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#define TANKS 2

static sem_t empty, filled;
static int litres[TANKS];

static void *pump(void *u)
{
    for (int i = 0; i < 4; i++) {
        sem_wait(&empty);
        litres[i % TANKS] = 10 * i;
        sem_post(&filled);
    }
    return u;
}

static void *truck(void *u)
{
    for (int i = 0; i < 4; i++) {
        sem_wait(&filled);
        assert(litres[i % TANKS] == 10 * i);
        sem_post(&empty);
    }
    return u;
}

int main(void)
{
    pthread_t p, t;
    sem_init(&empty, 0, TANKS);
    sem_init(&filled, 0, 0);
    pthread_create(&p, 0, pump, 0);
    pthread_create(&t, 0, truck, 0);
    pthread_join(p, 0);
    pthread_join(t, 0);
    sem_destroy(&empty);
    sem_destroy(&filled);
    return 0;
}
