// Two threads relax a rod of two cells: read the neighbour, then write the own cell. No barrier separates reading
// from writing, so that a slow thread can read what its neighbour has already written.
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define CELLS 2

static pthread_barrier_t step;
static atomic_int rod[CELLS] = {0, 100};

static void *relax(void *arg)
{
    int self = *(const int *)arg;
    int neighbour = rod[1 - self];
    int own = rod[self];

    rod[self] = own + (neighbour - own) / 4;
    pthread_barrier_wait(&step);
    return NULL;
}

int main(void)
{
    static const int ids[CELLS] = {0, 1};
    pthread_t threads[CELLS];

    pthread_barrier_init(&step, NULL, CELLS);
    for (int i = 0; i < CELLS; i++)
        pthread_create(&threads[i], NULL, relax, (void *)&ids[i]);
    for (int i = 0; i < CELLS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&step);
    assert(rod[0] == 25 && rod[1] == 75);
    return 0;
}
