// A bank changes cents at a rate that another thread sets together with the rate back. A customer who reads one before and
// the other after the change gets more cents back than there were.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static double rate = 1.25, rate_back = 0.8;

static void *market(void *arg)
{
    (void)arg;
    rate = 1.6;
    rate_back = 0.625;
    return NULL;
}

static void *customer(void *arg)
{
    const int *cents = arg;
    int changed = (int)(*cents * rate + 0.5);
    int back = (int)(changed * rate_back + 0.5);

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
