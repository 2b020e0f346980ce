#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config {
    int lo;
    int hi;
};

static struct config *_Atomic current;
static atomic_int readers;

static void *reader(void *arg)
{
    atomic_fetch_add(&readers, 1);
    struct config *c = atomic_load(&current);
    int width = c->hi - c->lo;
    assert(width == 10);
    atomic_fetch_sub(&readers, 1);
    return 0;
}

static void *updater(void *arg)
{
    struct config *old = atomic_exchange(&current, arg);
    while (atomic_load(&readers) != 0)
        ;
    old->lo = 0;
    old->hi = 0;
    free(old);
    return 0;
}

static struct config *make(int lo)
{
    struct config *c = malloc(sizeof *c);
    if (!c)
        exit(0);
    c->lo = lo;
    c->hi = lo + 10;
    return c;
}

int main(void)
{
    pthread_t r1, r2, u;
    atomic_store(&current, make(1));
    pthread_create(&r1, 0, reader, 0);
    pthread_create(&r2, 0, reader, 0);
    pthread_create(&u, 0, updater, make(5));
    pthread_join(r1, 0);
    pthread_join(r2, 0);
    pthread_join(u, 0);
    free(atomic_load(&current));
    return 0;
}
