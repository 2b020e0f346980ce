#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

/* top: low four bits are a cell number, the rest counts operations */
#define NONE 15u
#define CELL(x) ((x) & 15u)
#define NEXT_TAG(x) ((((x) >> 4) + 1u) << 4)

static atomic_uint top;
static atomic_uint nxt[2] = { 1, NONE };
static atomic_int held[2];

static unsigned pop(void)
{
    unsigned o, c, n;
    do {
        o = atomic_load(&top);
        c = CELL(o);
        if (c == NONE)
            return NONE;
        n = atomic_load(&nxt[c]);
    } while (!atomic_compare_exchange_strong(&top, &o, NEXT_TAG(o) | n));
    int before = atomic_exchange(&held[c], 1);
    assert(before == 0);
    return c;
}

static void push(unsigned c)
{
    unsigned o;
    atomic_store(&held[c], 0);
    do {
        o = atomic_load(&top);
        atomic_store(&nxt[c], CELL(o));
    } while (!atomic_compare_exchange_strong(&top, &o, NEXT_TAG(o) | c));
}

static void *left(void *arg)
{
    pop();
    pop();
    return 0;
}

static void *right(void *arg)
{
    unsigned a = pop();
    pop();
    if (a != NONE)
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
