#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define NIL (-1)

static atomic_int top;
static atomic_int nxt[2] = { 1, NIL };
static atomic_int held[2];

static int pop(void)
{
    int t, n;
    do {
        t = atomic_load(&top);
        if (t == NIL)
            return NIL;
        n = atomic_load(&nxt[t]);
    } while (!atomic_compare_exchange_strong(&top, &t, n));
    int before = atomic_exchange(&held[t], 1);
    assert(before == 0);
    return t;
}

static void push(int t)
{
    int o;
    atomic_store(&held[t], 0);
    do {
        o = atomic_load(&top);
        atomic_store(&nxt[t], o);
    } while (!atomic_compare_exchange_strong(&top, &o, t));
}

static void *left(void *arg)
{
    pop();
    pop();
    return 0;
}

static void *right(void *arg)
{
    int a = pop();
    pop();
    if (a != NIL)
        push(a);
    return 0;
}

int main(void)
{
    pthread_t l, r;
    pthread_create(&l, 0, left, 0);
    pthread_create(&r, 0, right, 0);
    pthread_join(l, 0);
    pthread_join(r, 0);
    return 0;
}
