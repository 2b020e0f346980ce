#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#define N 3

static sem_t guard;
static volatile int cash;

static void *deposit(void *arg)
{
    sem_wait(&guard);
    cash = cash + 10;
    sem_post(&guard);
    return 0;
}

int main(void)
{
    pthread_t t[N];
    sem_init(&guard, 0, N - 1);
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], 0, deposit, 0);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    assert(cash == 10 * N);
    return 0;
}
