#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>

#define NTHREADS 3

static atomic_int count;
static atomic_int gsense = 1;
int stripe[NTHREADS];
int check[NTHREADS];

static int bump(atomic_int *p)
{
    int v = atomic_load(p);

    while (!atomic_compare_exchange_weak(p, &v, v + 1))
        ;
    return v;
}

static void synchronize(void)
{
    int s = atomic_load(&gsense);

    bump(&count);
    if (atomic_load(&count) == NTHREADS) {
        atomic_store(&count, 0);
        atomic_store(&gsense, -s);
    } else {
        while (atomic_load(&gsense) == s) {
            /* others still on their way */
        }
    }
}

static void *slave(void *arg)
{
    int id = (int)(long)arg;

    stripe[id] = id * id;
    synchronize();
    check[id] = stripe[(id + 1) % NTHREADS];
    synchronize();
    stripe[id] = check[id];
    return NULL;
}

int main(void)
{
    pthread_t tid[NTHREADS];

    for (long i = 0; i < NTHREADS; i++) {
        int rc = pthread_create(&tid[i], NULL, slave, (void *)i);
        assert(rc == 0);
    }
    for (int i = 0; i < NTHREADS; i++)
        pthread_join(tid[i], NULL);
    return 0;
}
