#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define N 8

static const int sample[3][N] = {
    { 4, 9, 2, 7, 1, 1, 3, 8 },
    { 6, 6, 12, 5, 0, 2, 2, 2 },
    { 3, 11, 10, 4, 4, 7, 9, 1 },
};

static atomic_int best;
static atomic_int seen;

static void update_max(atomic_int *m, int v)
{
    int cur = atomic_load(m);

    while (cur < v && !atomic_compare_exchange_weak(m, &cur, v))
        ;
}

static void *scan(void *arg)
{
    const int *row = arg;
    int i;

    for (i = 0; i < N; i++) {
        update_max(&best, row[i]);
        atomic_fetch_add(&seen, 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int i;

    for (i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, scan, (void *)sample[i]);
    for (i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(atomic_load(&best) == 12);
    assert(atomic_load(&seen) == 3 * N);
    printf("max %d\n", atomic_load(&best));
    return 0;
}
