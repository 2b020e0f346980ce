// borrow() waits for a free connection on the pool's condition while it holds the registry's lock as well.
// give_back() needs the registry first, and never gets to the signal.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t pool = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t returned = PTHREAD_COND_INITIALIZER;
static int idle;
static int borrowers = 1;

static void *borrow(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&registry);
    pthread_mutex_lock(&pool);
    while (idle == 0)
        pthread_cond_wait(&returned, &pool);
    idle--;
    pthread_mutex_unlock(&pool);
    borrowers++;
    pthread_mutex_unlock(&registry);
    return NULL;
}

static void *give_back(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&registry);
    borrowers--;
    pthread_mutex_lock(&pool);
    idle++;
    pthread_cond_signal(&returned);
    pthread_mutex_unlock(&pool);
    pthread_mutex_unlock(&registry);
    return NULL;
}

int main(void)
{
    pthread_t client, other;

    pthread_create(&client, NULL, borrow, NULL);
    pthread_create(&other, NULL, give_back, NULL);
    pthread_join(client, NULL);
    pthread_join(other, NULL);
    return borrowers != 1;
}
