#include <assert.h>
#include <pthread.h>
#include <sched.h>

#define CELLS 2

static int cell[CELLS];
static unsigned dug, hauled;

#define SEE(x) __atomic_load_n(&(x), __ATOMIC_SEQ_CST)
#define PUT(x, v) __atomic_store_n(&(x), (v), __ATOMIC_SEQ_CST)

#define CHUTE_IN(item)                           \
    do {                                         \
        unsigned t_ = dug;                       \
        while (t_ - SEE(hauled) > CELLS)         \
            sched_yield();                       \
        PUT(cell[t_ % CELLS], (item));           \
        PUT(dug, t_ + 1);                        \
    } while (0)

#define CHUTE_OUT(var)                           \
    do {                                         \
        unsigned h_ = hauled;                    \
        while (SEE(dug) == h_)                   \
            sched_yield();                       \
        (var) = SEE(cell[h_ % CELLS]);           \
        PUT(hauled, h_ + 1);                     \
    } while (0)

static void *miner(void *u)
{
    for (int ore = 1; ore <= 4; ore++)
        CHUTE_IN(ore);
    return u;
}

static void *hauler(void *u)
{
    for (int want = 1; want <= 4; want++) {
        int got;
        CHUTE_OUT(got);
        assert(got == want);
    }
    return u;
}

int main(void)
{
    pthread_t m, h;
    pthread_create(&m, 0, miner, 0);
    pthread_create(&h, 0, hauler, 0);
    pthread_join(m, 0);
    pthread_join(h, 0);
    return 0;
}
