// A museum admits visitors through a semaphore that starts at the one place that there is.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t places;
static int seen;

static void *visitor(void *arg)
{
    (void)arg;
    sem_wait(&places);
    seen = seen + 1;
    sem_post(&places);
    return NULL;
}

int main(void)
{
    pthread_t visitors[3];

    sem_init(&places, 0, 1);
    for (int i = 0; i < 3; i++)
        pthread_create(&visitors[i], NULL, visitor, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(visitors[i], NULL);
    sem_destroy(&places);
    assert(seen == 3);
    return 0;
}
