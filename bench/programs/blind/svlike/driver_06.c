#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct device {
    atomic_int ref;
    atomic_int cleaned;
};

static struct device dev = { 2, 0 };

static void dev_put(struct device *d)
{
    atomic_fetch_sub(&d->ref, 1);
    if (atomic_load(&d->ref) == 0) {
        int before = atomic_fetch_add(&d->cleaned, 1);
        assert(before == 0);
    }
}

static void *closer(void *arg)
{
    dev_put(arg);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, closer, &dev);
    pthread_create(&b, 0, closer, &dev);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
