#include <assert.h>
#include <pthread.h>
#include <sched.h>

struct hatch {
    volatile int plate;
    volatile int full;
};

static struct hatch kitchen;

static void hatch_put(struct hatch *h, int dish)
{
    while (h->full)
        sched_yield();
    __sync_synchronize();
    h->plate = dish;
    __sync_synchronize();
    h->full = 1;
}

static int hatch_get(struct hatch *h)
{
    int dish;
    while (!h->full)
        sched_yield();
    __sync_synchronize();
    dish = h->plate;
    __sync_synchronize();
    h->full = 0;
    return dish;
}

static void *cook(void *h)
{
    for (int d = 1; d <= 4; d++)
        hatch_put(h, d);
    return 0;
}

static void *waiter(void *h)
{
    for (int d = 1; d <= 4; d++)
        assert(hatch_get(h) == d);
    return 0;
}

int main(void)
{
    pthread_t c, w;
    pthread_create(&c, 0, cook, &kitchen);
    pthread_create(&w, 0, waiter, &kitchen);
    pthread_join(c, 0);
    pthread_join(w, 0);
    assert(!kitchen.full);
    return 0;
}
