// A home-made barrier counts its arrivals by a load and a store. When two arrive at once, one arrival is lost and
// nobody ever passes.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define RUNNERS 2

static atomic_int arrived;
static int lanes[RUNNERS];

static void barrier(void)
{
    int before = atomic_load(&arrived);
    atomic_store(&arrived, before + 1);
    while (atomic_load(&arrived) < RUNNERS)
        ;
}

static void *runner(void *arg)
{
    int *lane = arg;

    *lane = 1;
    barrier();
    assert(lanes[0] == 1 && lanes[1] == 1);
    return NULL;
}

int main(void)
{
    pthread_t runners[RUNNERS];

    for (int i = 0; i < RUNNERS; i++)
        pthread_create(&runners[i], NULL, runner, &lanes[i]);
    for (int i = 0; i < RUNNERS; i++)
        pthread_join(runners[i], NULL);
    return 0;
}
