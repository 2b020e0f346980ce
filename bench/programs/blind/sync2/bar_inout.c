/* Entry and exit counters. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { NT = 3, ROUNDS = 2 };

static int in, out;
static int stage[NT];

static void sync_all(void)
{
    __atomic_add_fetch(&in, 1, __ATOMIC_SEQ_CST);
again:
    if (__atomic_load_n(&in, __ATOMIC_SEQ_CST) < NT) {
        usleep(1);
        goto again;
    }
    if (__atomic_add_fetch(&out, 1, __ATOMIC_SEQ_CST) == NT) {
        __atomic_store_n(&in, 0, __ATOMIC_SEQ_CST);
        __atomic_store_n(&out, 0, __ATOMIC_SEQ_CST);
    }
}

static void *run(void *arg)
{
    const int id = *(const int *)arg;

    for (int r = 1; r <= ROUNDS; r++) {
        __atomic_store_n(&stage[id], r, __ATOMIC_SEQ_CST);
        sync_all();
        usleep(25000);          /* use the results of this stage */
        for (int k = 0; k < NT; k++)
            assert(__atomic_load_n(&stage[k], __ATOMIC_SEQ_CST) >= r);
    }
    return NULL;
}

int main(void)
{
    pthread_t tid[NT];
    int ids[NT];

    for (int i = 0; i < NT; i++) {
        ids[i] = i;
        pthread_create(tid + i, NULL, run, ids + i);
    }
    for (int i = 0; i < NT; i++)
        pthread_join(tid[i], NULL);
    printf("stage %d\n", stage[0]);
    return 0;
}
