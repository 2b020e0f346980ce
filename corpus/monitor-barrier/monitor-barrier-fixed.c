// A barrier from a mutex and a condition. Sleepers wait for the generation to change, not for the count.
#include <pthread.h>
#include <stddef.h>

#define THREADS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t complete = PTHREAD_COND_INITIALIZER;
static int arrived;
static unsigned generation;

static void barrier(void)
{
    pthread_mutex_lock(&lock);
    arrived = arrived == THREADS ? 1 : arrived + 1;
    unsigned mine = generation;
    if (arrived == THREADS) {
        generation++;
        pthread_cond_broadcast(&complete);
    }
    while (generation == mine)
        pthread_cond_wait(&complete, &lock);
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
    (void)arg;
    barrier();
    barrier();
    return NULL;
}

int main(void)
{
    pthread_t workers[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&workers[i], NULL, worker, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i], NULL);
    return 0;
}
