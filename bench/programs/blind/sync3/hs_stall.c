#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

struct stall {
    atomic_int stocked;
    atomic_int melon;
};

static struct stall corner;
static atomic_int sold[5];

static int stall_buy(struct stall *s)
{
    while (atomic_load(&s->stocked) == 0)
        sched_yield();
    int m = atomic_load(&s->melon);
    atomic_store(&s->stocked, 0);
    return m;
}

static void stall_offer(struct stall *s, int m)
{
    while (atomic_load(&s->stocked) != 0)
        sched_yield();
    atomic_store(&s->melon, m);
    atomic_store(&s->stocked, 1);
}

static void *buyer(void *u)
{
    for (int i = 0; i < 2; i++) {
        int m = stall_buy(&corner);
        assert(atomic_fetch_add(&sold[m], 1) == 0);
    }
    return u;
}

static void *seller(void *u)
{
    for (int m = 1; m <= 4; m++)
        stall_offer(&corner, m);
    return u;
}

int main(void)
{
    pthread_t a, b, s;
    pthread_create(&a, 0, buyer, 0);
    pthread_create(&b, 0, buyer, 0);
    pthread_create(&s, 0, seller, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(s, 0);
    return 0;
}
