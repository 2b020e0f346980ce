// The consumer resets the flag before it spins on it. If the producer has raised it already, the news is wiped out
// and the consumer spins for ever.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int ready;
static int frame;

static void *camera(void *arg)
{
    (void)arg;
    frame = 42;
    atomic_store(&ready, 1);
    return NULL;
}

static void *display(void *arg)
{
    (void)arg;
    atomic_store(&ready, 0);
    while (!atomic_load(&ready))
        ;
    assert(frame == 42);
    return NULL;
}

int main(void)
{
    pthread_t producer, consumer;

    pthread_create(&producer, NULL, camera, NULL);
    pthread_create(&consumer, NULL, display, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    return 0;
}
