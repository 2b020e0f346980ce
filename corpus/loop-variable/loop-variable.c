// Each worker is given the address of the loop's counter as its number. Main has counted on by the time a worker
// looks.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define WORKERS 2

static atomic_int started[WORKERS + 1];

static void *worker(void *arg)
{
    int number = *(const int *)arg;

    atomic_fetch_add(&started[number], 1);
    return NULL;
}

int main(void)
{
    pthread_t workers[WORKERS];
    int i;

    for (i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, worker, &i);
    for (int w = 0; w < WORKERS; w++)
        pthread_join(workers[w], NULL);
    for (int w = 0; w < WORKERS; w++)
        assert(started[w] == 1);
    return 0;
}
