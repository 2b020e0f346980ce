#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t  nonzero = PTHREAD_COND_INITIALIZER;
static int permits = 2;
int work[3];

static void permit_take(void)
{
    pthread_mutex_lock(&m);
    if (permits <= 0)
        pthread_cond_wait(&nonzero, &m);
    permits--;
    pthread_mutex_unlock(&m);
}

static void permit_return(void)
{
    pthread_mutex_lock(&m);
    permits++;
    pthread_cond_signal(&nonzero);
    pthread_mutex_unlock(&m);
}

static void *miner(void *arg)
{
    int me = *(int *)arg;

    for (int shift = 0; shift < 2; shift++) {
        permit_take();
        work[me] += 8;
        permit_return();
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int id[3] = { 0, 1, 2 };

    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, miner, id + i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
