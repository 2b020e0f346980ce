#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

struct catalog {
    pthread_rwlock_t lock;
    int loaded;
    int loads;
    int price;
};

static struct catalog seeds = { .lock = PTHREAD_RWLOCK_INITIALIZER };

static void load_prices(struct catalog *c)
{
    c->price = 35;
    c->loads++;
    c->loaded = 1;
}

static int price_of_seed(struct catalog *c)
{
    pthread_rwlock_rdlock(&c->lock);
    int loaded = c->loaded;
    int price = c->price;
    pthread_rwlock_unlock(&c->lock);

    if (!loaded) {
        pthread_rwlock_wrlock(&c->lock);
        if (!c->loaded)
            load_prices(c);
        price = c->price;
        pthread_rwlock_unlock(&c->lock);
    }
    return price;
}

static void *customer(void *arg)
{
    price_of_seed(arg);
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, customer, &seeds);
    pthread_create(&b, NULL, customer, &seeds);
    pthread_join(a, NULL);
    pthread_join(b, NULL);

    printf("price %d, loaded %d times\n", seeds.price, seeds.loads);
    assert(seeds.loads == 1);
    return 0;
}
