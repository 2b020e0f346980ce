#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static unsigned sent, acked;
static volatile int stop;

static void *pump(void *arg)
{
    while (!stop) {
        pthread_mutex_lock(&m);
        sent++;
        acked++;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

static void *auditor(void *arg)
{
    pthread_mutex_lock(&m);
    assert(sent == acked);
    pthread_mutex_unlock(&m);
    stop = 1;
    return 0;
}

int main(void)
{
    pthread_t p, a;
    pthread_create(&p, 0, pump, 0);
    pthread_create(&a, 0, auditor, 0);
    pthread_join(a, 0);
    pthread_join(p, 0);
    assert(sent == acked);
    return 0;
}
