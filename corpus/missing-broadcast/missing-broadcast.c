// The starter opens the gate for all runners but signals only one of them. If both are already waiting, one of them
// never runs.
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define RUNNERS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate = PTHREAD_COND_INITIALIZER;
static bool open;

static void *runner(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    while (!open)
        pthread_cond_wait(&gate, &lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t runners[RUNNERS];

    for (int i = 0; i < RUNNERS; i++)
        pthread_create(&runners[i], NULL, runner, NULL);
    pthread_mutex_lock(&lock);
    open = true;
    pthread_cond_signal(&gate);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < RUNNERS; i++)
        pthread_join(runners[i], NULL);
    return 0;
}
