#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct route {
    int hops;
    int cost;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct route *best;

static struct route *make_route(int hops, int cost)
{
    struct route *r = malloc(sizeof *r);

    if (r == NULL)
        abort();
    r->hops = hops;
    r->cost = cost;
    return r;
}

static void *forwarder(void *result)
{
    pthread_mutex_lock(&lock);
    struct route *r = best;
    *(int *)result = r->hops * r->cost;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *updater(void *unused)
{
    struct route *fresh = make_route(2, 30);

    (void)unused;
    pthread_mutex_lock(&lock);
    struct route *old = best;
    best = fresh;
    pthread_mutex_unlock(&lock);
    free(old);
    return NULL;
}

int main(void)
{
    pthread_t f, u;
    int price = 0;

    best = make_route(3, 25);
    pthread_create(&f, NULL, forwarder, &price);
    pthread_create(&u, NULL, updater, NULL);
    pthread_join(f, NULL);
    pthread_join(u, NULL);

    printf("price %d\n", price);
    free(best);
    return 0;
}
