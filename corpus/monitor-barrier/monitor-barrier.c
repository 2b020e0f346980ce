// A barrier from a mutex and a condition. The first arrival of a round sets the count back to one; a thread that was
// woken at the end of the last round but has not looked yet finds the count too small and goes back to sleep.
#include <pthread.h>
#include <stddef.h>

#define THREADS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t complete = PTHREAD_COND_INITIALIZER;
static int arrived;

static void barrier(void)
{
    pthread_mutex_lock(&lock);
    arrived = arrived == THREADS ? 1 : arrived + 1;
    if (arrived == THREADS)
        pthread_cond_broadcast(&complete);
    while (arrived < THREADS)
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
