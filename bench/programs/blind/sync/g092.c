#include <pthread.h>
#include <stdatomic.h>
#include <sched.h>

static atomic_int go;
static atomic_int word;
int points[2];
int sum;

static void word_lock(void)
{
    int c = 0;

    /* 0: free, 1: taken, 2: taken and somebody is waiting */
    if (atomic_compare_exchange_strong(&word, &c, 1))
        return;
    while (atomic_exchange(&word, 2) != 0)
        sched_yield();
}

static void word_unlock(void)
{
    int c = 1;

    atomic_compare_exchange_strong(&word, &c, 0);
}

static void *racer(void *arg)
{
    int k = (int)(long)arg;

    while (!atomic_load(&go))
        sched_yield();
    word_lock();
    points[k] += 3;
    sum += 3;
    word_unlock();
    return NULL;
}

static void *marshal(void *arg)
{
    (void)arg;
    points[0] = 1;
    points[1] = 1;
    atomic_store(&go, 1);
    return NULL;
}

int main(void)
{
    pthread_t r[2], m;

    for (long k = 0; k < 2; k++)
        pthread_create(&r[k], NULL, racer, (void *)k);
    pthread_create(&m, NULL, marshal, NULL);
    pthread_join(m, NULL);
    for (int k = 0; k < 2; k++)
        pthread_join(r[k], NULL);
    return 0;
}
