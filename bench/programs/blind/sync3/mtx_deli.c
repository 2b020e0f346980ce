#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define SHOPPERS 2

static atomic_int number[SHOPPERS];
static int ham = 6;
static int served = -1;

static void stand_in_line(int me)
{
    int top = 0;
    for (int j = 0; j < SHOPPERS; j++) {
        int v = atomic_load(&number[j]);
        if (v > top)
            top = v;
    }
    top++;
    atomic_store(&number[me], top);

    for (int j = 0; j < SHOPPERS; j++) {
        if (j == me)
            continue;
        for (;;) {
            int v = atomic_load(&number[j]);
            if (v == 0 || v > top || (v == top && j > me))
                break;
            sched_yield();
        }
    }
}

static void walk_off(int me)
{
    atomic_store(&number[me], 0);
}

static void *shopper(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < 3; i++) {
        stand_in_line(me);
        served = me;
        ham--;
        assert(served == me);
        walk_off(me);
    }
    return 0;
}

int main(void)
{
    pthread_t t[SHOPPERS];
    for (long i = 0; i < SHOPPERS; i++)
        pthread_create(&t[i], 0, shopper, (void *)i);
    for (int i = 0; i < SHOPPERS; i++)
        pthread_join(t[i], 0);
    assert(ham == 0);
    return 0;
}
