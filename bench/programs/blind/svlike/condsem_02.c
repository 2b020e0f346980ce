#include <assert.h>
#include <pthread.h>

#define N 3

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t zero = PTHREAD_COND_INITIALIZER;
static int left = N;
static int done[N];

static void *worker(void *arg)
{
    int id = (int)(long)arg;
    done[id] = id + 1;
    pthread_mutex_lock(&m);
    left--;
    if (left == 0)
        pthread_cond_signal(&zero);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], 0, worker, (void *)i);
    pthread_mutex_lock(&m);
    while (left > 0)
        pthread_cond_wait(&zero, &m);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < N; i++)
        assert(done[i] == i + 1);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    return 0;
}
