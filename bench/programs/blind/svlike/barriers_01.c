#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#define N 2

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t in, out;
static int count;
static volatile int step[N];

static void meet(void)
{
    pthread_mutex_lock(&m);
    if (++count == N)
        for (int i = 0; i < N; i++)
            sem_post(&in);
    pthread_mutex_unlock(&m);
    sem_wait(&in);

    pthread_mutex_lock(&m);
    if (--count == 0)
        for (int i = 0; i < N; i++)
            sem_post(&out);
    pthread_mutex_unlock(&m);
    sem_wait(&out);
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
    sem_init(&in, 0, 0);
    sem_init(&out, 0, 0);
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], 0, party, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    return 0;
}
