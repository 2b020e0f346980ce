#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

struct diver {
    const char *name;
    atomic_int ready;
    struct diver *buddy;
    int depth;
};

static struct diver lena, marc;

static void meet(struct diver *d)
{
    atomic_store(&d->ready, 1);
    while (!atomic_load(&d->buddy->ready))
        sched_yield();
    atomic_store(&d->ready, 0);
}

static void *dive(void *arg)
{
    struct diver *d = arg;

    meet(d);
    d->depth = 18;
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    lena.name = "Lena";
    lena.buddy = &marc;
    marc.name = "Marc";
    marc.buddy = &lena;

    pthread_create(&a, NULL, dive, &lena);
    pthread_create(&b, NULL, dive, &marc);
    pthread_join(a, NULL);
    pthread_join(b, NULL);

    printf("%s at %d m, %s at %d m\n",
           lena.name, lena.depth, marc.name, marc.depth);
    return 0;
}
