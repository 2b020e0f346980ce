#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, payload, readers;

static void *waiter(void *arg)
{
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    assert(payload == 17);
    readers++;
    pthread_mutex_unlock(&m);
    return 0;
}

static void *setter(void *arg)
{
    pthread_mutex_lock(&m);
    payload = 17;
    ready = 1;
    pthread_mutex_unlock(&m);
    pthread_cond_broadcast(&c);
    return 0;
}

int main(void)
{
    pthread_t a, b, s;
    pthread_create(&a, 0, waiter, 0);
    pthread_create(&b, 0, waiter, 0);
    pthread_create(&s, 0, setter, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(s, 0);
    assert(readers == 2);
    return 0;
}
