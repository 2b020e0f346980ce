#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define TASKS 3
#define EMPTY (-1)

static atomic_int top, bottom;
static atomic_int buf[TASKS + 1];
static atomic_int runs[TASKS];

static void push(int v)
{
    int b = atomic_load(&bottom);
    atomic_store(&buf[b], v);
    atomic_store(&bottom, b + 1);
}

static int take(void)
{
    int v = EMPTY;
    int b = atomic_load(&bottom) - 1;
    atomic_store(&bottom, b);
    int t = atomic_load(&top);
    if (t > b) {
        atomic_store(&bottom, b + 1);
        return EMPTY;
    }
    v = atomic_load(&buf[b]);
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

static void *owner(void *arg)
{
    push(0);
    push(1);
    run(take());
    push(2);
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
    for (int i = 0; i < TASKS; i++)
        run(take());
    for (int i = 0; i < TASKS; i++)
        assert(atomic_load(&runs[i]) == 1);
    return 0;
}
