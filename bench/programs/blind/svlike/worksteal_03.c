#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

void reach_error(void) { assert(0); }

#define EMPTY (-1)

static atomic_int top, bottom;
static atomic_int buf[4];
static atomic_int runs[4];

static void push(int v)
{
    int b = atomic_load(&bottom);
    atomic_store(&buf[b], v);
    atomic_store(&bottom, b + 1);
}

static int take(void)
{
    int t = atomic_load(&top);
    int b = atomic_load(&bottom) - 1;
    if (t > b)
        return EMPTY;
    atomic_store(&bottom, b);
    int v = atomic_load(&buf[b]);
    if (t == b) {
        if (!atomic_compare_exchange_strong(&top, &t, t + 1))
            v = EMPTY;
        atomic_store(&bottom, b + 1);
    }
    return v;
}

static int steal(void)
{
    int t = atomic_load(&top);
    int b = atomic_load(&bottom);
    if (t >= b)
        return EMPTY;
    int v = atomic_load(&buf[t]);
    return atomic_compare_exchange_strong(&top, &t, t + 1) ? v : EMPTY;
}

static void run(int v)
{
    if (v == EMPTY)
        return;
    if (atomic_fetch_add(&runs[v], 1) != 0)
        reach_error();
}

static void *owner(void *arg)
{
    push(0);
    push(1);
    run(take());
    return 0;
}

static void *thief(void *arg)
{
    run(steal());
    run(steal());
    return 0;
}

int main(void)
{
    pthread_t o, t;
    pthread_create(&o, 0, owner, 0);
    pthread_create(&t, 0, thief, 0);
    pthread_join(o, 0);
    pthread_join(t, 0);
    return 0;
}
