#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int ref;
    atomic_int sum;
};

static void put(struct object *o, int v)
{
    atomic_fetch_add(&o->sum, v);
    if (atomic_fetch_sub(&o->ref, 1) == 1) {
        assert(atomic_load(&o->sum) == 6);
        free(o);
    }
}

static void *one(void *arg)
{
    put(arg, 1);
    return 0;
}

static void *two(void *arg)
{
    put(arg, 2);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    struct object *o = malloc(sizeof *o);
    if (!o)
        exit(0);
    atomic_init(&o->ref, 3);
    atomic_init(&o->sum, 0);
    pthread_create(&a, 0, one, o);
    pthread_create(&b, 0, two, o);
    put(o, 3);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
