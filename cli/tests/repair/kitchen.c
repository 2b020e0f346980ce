/* The dish is counted before the cook has finished it. Whoever uses semaphores gets one more. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t stove;
static int dish;

static void *cook(void *arg)
{
    sem_wait(&stove);
    dish = 1;
    sem_post(&stove);
    return arg;
}

static void *waiter(void *arg)
{
    int seen = dish;

    assert(seen == 1);
    return arg;
}

int main(void)
{
    pthread_t a, b;

    sem_init(&stove, 0, 1);
    pthread_create(&a, NULL, cook, NULL);
    pthread_create(&b, NULL, waiter, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
