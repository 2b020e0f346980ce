#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t  cv = PTHREAD_COND_INITIALIZER;
static atomic_int ready;
int matrix[4];
int trace_;

static void announce(void)
{
    atomic_store(&ready, 1);
    pthread_cond_signal(&cv);
}

static void await(void)
{
    pthread_mutex_lock(&mu);
    while (atomic_load(&ready) == 0)
        pthread_cond_wait(&cv, &mu);
    pthread_mutex_unlock(&mu);
}

static void *fill(void *arg)
{
    (void)arg;
    matrix[0] = 3;
    matrix[3] = 4;
    announce();
    return NULL;
}

static void *use(void *arg)
{
    (void)arg;
    await();
    trace_ = matrix[0] + matrix[3];
    return NULL;
}

int main(void)
{
    pthread_t f, u;

    pthread_create(&u, NULL, use, NULL);
    pthread_create(&f, NULL, fill, NULL);
    pthread_join(f, NULL);
    pthread_join(u, NULL);
    return 0;
}
