#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct device {
    atomic_int ref;
    volatile int live;
    int cleaned;
};

static struct device dev = { 1, 1, 0 };

static int dev_get(struct device *d)
{
    int r = atomic_load(&d->ref);
    while (r != 0)
        if (atomic_compare_exchange_strong(&d->ref, &r, r + 1))
            return 1;
    return 0;
}

static void dev_put(struct device *d)
{
    if (atomic_fetch_sub(&d->ref, 1) == 1) {
        d->live = 0;
        d->cleaned++;
    }
}

static void *user(void *arg)
{
    struct device *d = arg;
    if (dev_get(d)) {
        assert(d->live);
        dev_put(d);
    }
    return 0;
}

static void *unplug(void *arg)
{
    dev_put(arg);
    return 0;
}

int main(void)
{
    pthread_t a, b, u;
    pthread_create(&a, 0, user, &dev);
    pthread_create(&b, 0, user, &dev);
    pthread_create(&u, 0, unplug, &dev);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(u, 0);
    assert(dev.cleaned == 1);
    return 0;
}
