#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

static int         nthreads;
static atomic_int  nhere;
static atomic_bool colour;
static _Thread_local bool my_colour;

static void paint_and_wait(void)
{
    my_colour ^= true;
    if (atomic_fetch_add(&nhere, 1) + 1 == nthreads) {
        atomic_store(&nhere, 0);
        atomic_store(&colour, my_colour);
    }
    while (atomic_load(&colour) != my_colour)
        ;
}

static int hist[3], prefix[3];

static void *scan(void *arg)
{
    int k = (int)(long)arg;

    hist[k] = k + 1;
    paint_and_wait();
    for (int i = 0; i <= k; i++)
        prefix[k] += hist[i];
    paint_and_wait();
    hist[k] = prefix[(k + 1) % 3];
    return NULL;
}

int main(void)
{
    pthread_t t[3];

    nthreads = 3;
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, scan, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    if (hist[0] != 3 || hist[1] != 6 || hist[2] != 1)
        abort();
    return 0;
}
