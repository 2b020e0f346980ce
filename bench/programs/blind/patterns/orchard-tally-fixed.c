#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { PICKERS = 2, BASKETS = 2 };

struct orchard {
    atomic_int apples;
    atomic_int baskets_done;
};

static struct orchard orchard;
static const int basket_size[BASKETS] = { 12, 15 };

static void empty_basket(struct orchard *o, int apples)
{
    atomic_fetch_add(&o->apples, apples);
    atomic_fetch_add(&o->baskets_done, 1);
}

static void *picker(void *arg)
{
    struct orchard *o = arg;

    for (int i = 0; i < BASKETS; i++)
        empty_basket(o, basket_size[i]);
    return NULL;
}

int main(void)
{
    pthread_t pickers[PICKERS];
    int expected = 0;

    for (int i = 0; i < BASKETS; i++)
        expected += PICKERS * basket_size[i];

    for (int i = 0; i < PICKERS; i++)
        pthread_create(&pickers[i], NULL, picker, &orchard);
    for (int i = 0; i < PICKERS; i++)
        pthread_join(pickers[i], NULL);

    int baskets = atomic_load(&orchard.baskets_done);
    int apples = atomic_load(&orchard.apples);
    printf("%d baskets, %d apples\n", baskets, apples);
    assert(baskets == PICKERS * BASKETS);
    assert(apples == expected);
    return 0;
}
