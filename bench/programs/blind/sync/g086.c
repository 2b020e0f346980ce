#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stddef.h>

struct order { int table, price; };

static _Atomic(struct order *) hatch;     /* NULL: nothing there */
static int turnover, served;

static void hand_over(struct order *o)
{
    struct order *none = NULL;

    while (!atomic_compare_exchange_weak(&hatch, &none, o))
        none = NULL;
}

static struct order *pick_up(void)
{
    struct order *o;

    while (!(o = atomic_exchange(&hatch, NULL)))
        ;
    return o;
}

static void *waiter(void *arg)
{
    struct order *two = arg;

    hand_over(&two[0]);
    hand_over(&two[1]);
    return NULL;
}

static void *cook(void *arg)
{
    (void)arg;
    for (int i = 0; i < 4; i++) {
        struct order *o = pick_up();
        turnover += o->price;
        served++;
    }
    return NULL;
}

int main(void)
{
    struct order a[2] = { { 1, 10 }, { 2, 20 } };
    struct order b[2] = { { 3, 30 }, { 4, 40 } };
    pthread_t w1, w2, c;

    pthread_create(&w1, NULL, waiter, a);
    pthread_create(&w2, NULL, waiter, b);
    pthread_create(&c, NULL, cook, NULL);
    pthread_join(w1, NULL);
    pthread_join(w2, NULL);
    pthread_join(c, NULL);
    assert(turnover == 100 && served == 4);
    return 0;
}
