#define _XOPEN_SOURCE 600
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#define N      4
#define ROUNDS 2

static pthread_barrier_t bar;
static int value[N] = { 8, 3, 5, 1 };

static void swap_if(int i, int j)
{
    if (value[i] > value[j]) {
        int t = value[i];
        value[i] = value[j];
        value[j] = t;
    }
}

/* odd-even transposition sort, two workers */
static void *sorter(void *arg)
{
    int id = (int)(long)arg;
    int r;

    for (r = 0; r < ROUNDS; r++) {
        swap_if(2 * id, 2 * id + 1);
        pthread_barrier_wait(&bar);
        if (id == 0)
            swap_if(1, 2);
        pthread_barrier_wait(&bar);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    long i;

    pthread_barrier_init(&bar, NULL, 2);
    for (i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, sorter, (void *)i);
    for (i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    pthread_barrier_destroy(&bar);
    for (i = 0; i + 1 < N; i++)
        assert(value[i] <= value[i + 1]);
    printf("%d %d %d %d\n", value[0], value[1], value[2], value[3]);
    return 0;
}
