// A bank changes cents at a rate that another thread sets together with the rate back. Both are set and read under a
// lock, so a customer gets no more cents back than there were.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double rate = 1.25, rate_back = 0.8;

static void *market(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    rate = 1.6;
    rate_back = 0.625;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *customer(void *arg)
{
    const int *cents = arg;
    int changed, back;

    pthread_mutex_lock(&lock);
    changed = (int)(*cents * rate + 0.5);
    back = (int)(changed * rate_back + 0.5);
    pthread_mutex_unlock(&lock);
    assert(back <= *cents);
    return NULL;
}

int main(void)
{
    pthread_t exchange, visitor;
    int cents = 1000;

    pthread_create(&exchange, NULL, market, NULL);
    pthread_create(&visitor, NULL, customer, &cents);
    pthread_join(exchange, NULL);
    pthread_join(visitor, NULL);
    return 0;
}
