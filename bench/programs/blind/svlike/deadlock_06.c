#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static volatile int ready;

static void *waiter(void *arg)
{
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    assert(ready == 1);
    return 0;
}

static void *notifier(void *arg)
{
    ready = 1;
    pthread_cond_signal(&c);
    return 0;
}

int main(void)
{
    pthread_t w, n;
    pthread_create(&w, 0, waiter, 0);
    pthread_create(&n, 0, notifier, 0);
    pthread_join(w, 0);
    pthread_join(n, 0);
    return 0;
}
