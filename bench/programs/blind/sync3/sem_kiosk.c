#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t fresh = PTHREAD_COND_INITIALIZER;
static int papers;
static int delivered, bought;

static void buy(void)
{
    pthread_mutex_lock(&mu);
    if (--papers < 0)
        pthread_cond_wait(&fresh, &mu);
    pthread_mutex_unlock(&mu);
}

static void deliver(void)
{
    pthread_mutex_lock(&mu);
    if (papers++ < 0)
        pthread_cond_broadcast(&fresh);
    pthread_mutex_unlock(&mu);
}

static void *reader(void *u)
{
    buy();
    int b = __atomic_add_fetch(&bought, 1, __ATOMIC_SEQ_CST);
    assert(b <= __atomic_load_n(&delivered, __ATOMIC_SEQ_CST));
    return u;
}

static void *van(void *u)
{
    for (int i = 0; i < 2; i++) {
        __atomic_add_fetch(&delivered, 1, __ATOMIC_SEQ_CST);
        deliver();
        usleep(100);
    }
    return u;
}

int main(void)
{
    pthread_t r1, r2, v;
    pthread_create(&r1, 0, reader, 0);
    pthread_create(&r2, 0, reader, 0);
    pthread_create(&v, 0, van, 0);
    pthread_join(r1, 0);
    pthread_join(r2, 0);
    pthread_join(v, 0);
    return 0;
}
