#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#define NEED 2

static sem_t units;
static atomic_int finished;

static void *job(void *arg)
{
    for (int i = 0; i < NEED; i++)
        sem_wait(&units);
    atomic_fetch_add(&finished, 1);
    for (int i = 0; i < NEED; i++)
        sem_post(&units);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&units, 0, 2);
    pthread_create(&a, 0, job, 0);
    pthread_create(&b, 0, job, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(atomic_load(&finished) == 2);
    return 0;
}
