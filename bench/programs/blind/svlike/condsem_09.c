#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

void reach_error(void) { assert(0); }

static sem_t permit;
static volatile int owner;

static void *worker(void *arg)
{
    int id = (int)(long)arg;
    sem_trywait(&permit);
    owner = id;
    if (owner != id)
        reach_error();
    sem_post(&permit);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&permit, 0, 1);
    pthread_create(&a, 0, worker, (void *)1L);
    pthread_create(&b, 0, worker, (void *)2L);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
