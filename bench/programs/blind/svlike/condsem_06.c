#include <assert.h>
#include <pthread.h>

#define N 3

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t freed = PTHREAD_COND_INITIALIZER;
static int spare = 1;

static void acquire(void)
{
    pthread_mutex_lock(&m);
    if (spare == 0)
        pthread_cond_wait(&freed, &m);
    spare--;
    assert(spare >= 0);
    pthread_mutex_unlock(&m);
}

static void release(void)
{
    pthread_mutex_lock(&m);
    spare++;
    pthread_cond_broadcast(&freed);
    pthread_mutex_unlock(&m);
}

static void *user(void *arg)
{
    acquire();
    release();
    return 0;
}

int main(void)
{
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], 0, user, 0);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    return 0;
}
