#include <assert.h>
#include <pthread.h>
#include <sched.h>

struct baton {
    int busy;
};

struct runner {
    struct baton *mine;
    struct baton *ahead;
};

static struct baton store[4];
static struct baton *line_end = &store[3];
static long lap_sum;

static void take_over(struct runner *r)
{
    __atomic_store_n(&r->mine->busy, 1, __ATOMIC_SEQ_CST);
    r->ahead = __atomic_exchange_n(&line_end, r->mine, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&r->ahead->busy, __ATOMIC_SEQ_CST))
        sched_yield();
}

static void hand_on(struct runner *r)
{
    struct baton *done = r->mine;
    r->mine = r->ahead;
    __atomic_store_n(&done->busy, 0, __ATOMIC_SEQ_CST);
}

static void *run(void *arg)
{
    struct runner r = { arg, 0 };
    for (int lap = 1; lap <= 4; lap++) {
        take_over(&r);
        long before = lap_sum;
        lap_sum = before + lap;
        assert(lap_sum == before + lap);
        hand_on(&r);
    }
    return 0;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, run, &store[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    assert(lap_sum == 30);
    return 0;
}
