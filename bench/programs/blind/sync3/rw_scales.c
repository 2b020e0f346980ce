#include <assert.h>
#include <pthread.h>
#include <sched.h>

#define WEIGHING (1 << 20)

static int load;
static int left_pan, right_pan;

static inline void peek(void)
{
    while (__sync_fetch_and_add(&load, 1) & WEIGHING) {
        __sync_fetch_and_sub(&load, 1);
        sched_yield();
    }
}

static inline void unpeek(void)
{
    __sync_fetch_and_sub(&load, 1);
}

static inline void weigh(void)
{
    while (__sync_fetch_and_or(&load, WEIGHING) & WEIGHING)
        sched_yield();
    while (__atomic_load_n(&load, __ATOMIC_SEQ_CST) != WEIGHING)
        sched_yield();
}

static inline void unweigh(void)
{
    __atomic_store_n(&load, 0, __ATOMIC_SEQ_CST);
}

static void *buyer(void *u)
{
    for (int i = 0; i < 4; i++) {
        peek();
        int l = left_pan, r = right_pan;
        unpeek();
        assert(l == r);
    }
    return u;
}

static void *grocer(void *u)
{
    for (int i = 0; i < 4; i++) {
        weigh();
        left_pan += 5;
        right_pan += 5;
        unweigh();
    }
    return u;
}

int main(void)
{
    pthread_t a, b, g;
    pthread_create(&g, 0, grocer, 0);
    pthread_create(&a, 0, buyer, 0);
    pthread_create(&b, 0, buyer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(g, 0);
    return 0;
}
