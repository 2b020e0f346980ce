#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { EMPTY, FULL, TAKING };

static atomic_int status = EMPTY;
static int        goods;
static int        mine[2];

static void offer(int g)
{
    while (atomic_load(&status) != EMPTY)
        ;
    goods = g;
    atomic_store(&status, FULL);
}

static int accept_one(void)
{
    int g, want = FULL;

    while (!atomic_compare_exchange_weak(&status, &want, TAKING))
        want = FULL;
    g = goods;
    atomic_store(&status, EMPTY);
    return g;
}

static void *seller(void *arg)
{
    int n = *(int *)arg;

    for (int i = 1; i <= n; i++)
        offer(i);
    return NULL;
}

static void *buyer(void *arg)
{
    int *acc = arg;

    for (int i = 0; i < 2; i++)
        *acc += accept_one();
    return NULL;
}

int main(void)
{
    pthread_t s, b1, b2;
    int n = 4;

    pthread_create(&s, NULL, seller, &n);
    pthread_create(&b1, NULL, buyer, &mine[0]);
    pthread_create(&b2, NULL, buyer, &mine[1]);
    pthread_join(s, NULL);
    pthread_join(b1, NULL);
    pthread_join(b2, NULL);
    if (mine[0] + mine[1] != 10)
        abort();
    return 0;
}
