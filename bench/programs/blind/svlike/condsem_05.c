#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#define N 3

static sem_t seats;
static atomic_int seated;

static void *guest(void *arg)
{
    sem_wait(&seats);
    int now = atomic_fetch_add(&seated, 1) + 1;
    assert(now >= 1 && now <= 2);
    atomic_fetch_sub(&seated, 1);
    sem_post(&seats);
    return 0;
}

int main(void)
{
    pthread_t t[N];
    int left;
    sem_init(&seats, 0, 2);
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], 0, guest, 0);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    sem_getvalue(&seats, &left);
    assert(left == 2);
    sem_destroy(&seats);
    return 0;
}
