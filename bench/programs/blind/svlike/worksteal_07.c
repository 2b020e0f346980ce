#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 2
#define EMPTY (-1)

static atomic_int top, bottom;
static atomic_int ring[SIZE];
static atomic_int runs[3];

static void push(int v)
{
    int b = atomic_load(&bottom);
    if (b - atomic_load(&top) >= SIZE)
        return;
    atomic_store(&ring[b % SIZE], v);
    atomic_store(&bottom, b + 1);
}

static int take(void)
{
    int b = atomic_load(&bottom) - 1;
    atomic_store(&bottom, b);
    int t = atomic_load(&top);
    if (t > b) {
        atomic_store(&bottom, b + 1);
        return EMPTY;
    }
    int v = atomic_load(&ring[b % SIZE]);
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
    if (!atomic_compare_exchange_strong(&top, &t, t + 1))
        return EMPTY;
    return atomic_load(&ring[t % SIZE]);
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
    push(0);
    push(1);
    push(2);
    run(take());
    run(take());
    pthread_join(t, 0);
    return 0;
}
