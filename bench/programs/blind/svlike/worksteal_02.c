#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define EMPTY (-1)

static atomic_int top, bottom = 2;
static atomic_int buf[2] = { 0, 1 };
static atomic_int runs[2];

static int take(void)
{
    int b = atomic_load(&bottom) - 1;
    atomic_store(&bottom, b);
    int t = atomic_load(&top);
    if (t > b) {
        atomic_store(&bottom, b + 1);
        return EMPTY;
    }
    return atomic_load(&buf[b]);
}

static int steal(void)
{
    int t = atomic_load(&top);
    int b = atomic_load(&bottom);
    if (t >= b)
        return EMPTY;
    int v = atomic_load(&buf[t]);
    if (!atomic_compare_exchange_strong(&top, &t, t + 1))
        return EMPTY;
    return v;
}

static void run(int v)
{
    if (v != EMPTY) {
        int before = atomic_fetch_add(&runs[v], 1);
        assert(before == 0);
    }
}

static void *thief(void *arg)
{
    run(steal());
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, thief, 0);
    run(take());
    run(take());
    pthread_join(t, 0);
    return 0;
}
