#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

struct rental {
    pthread_mutex_t lock;
    int idle;
    int owned;
};

static struct rental rental = { .lock = PTHREAD_MUTEX_INITIALIZER };
static atomic_int trips;

static void buy_canoe(struct rental *r)
{
    r->idle++;
    r->owned++;
}

static void take_canoe(struct rental *r)
{
    pthread_mutex_lock(&r->lock);
    if (r->idle == 0)
        buy_canoe(r);
    r->idle--;
    pthread_mutex_unlock(&r->lock);
}

static void return_canoe(struct rental *r)
{
    pthread_mutex_lock(&r->lock);
    r->idle++;
    pthread_mutex_unlock(&r->lock);
}

static void *paddler(void *arg)
{
    struct rental *r = arg;

    take_canoe(r);
    atomic_fetch_add(&trips, 1);
    return_canoe(r);
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    buy_canoe(&rental);
    pthread_create(&a, NULL, paddler, &rental);
    pthread_create(&b, NULL, paddler, &rental);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d trips, %d canoes\n", atomic_load(&trips), rental.owned);
    return 0;
}
