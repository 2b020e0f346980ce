#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#define N 2

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t gate;
static int count;
static volatile int step[N];

static void meet(void)
{
    pthread_mutex_lock(&m);
    if (++count == N) {
        count = 0;
        for (int i = 0; i < N; i++)
            sem_post(&gate);
    }
    pthread_mutex_unlock(&m);
    sem_wait(&gate);
}

static void *party(void *arg)
{
    int id = (int)(long)arg;
    for (int r = 1; r <= 2; r++) {
        step[id] = r;
        meet();
        assert(step[1 - id] >= r);
    }
    return 0;
}

int main(void)
{
    pthread_t t[N];
    sem_init(&gate, 0, 0);
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], 0, party, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    return 0;
}
