#include <assert.h>
#include <pthread.h>
#include <sched.h>

enum { COLD, HEATING, HOT };

struct kiln {
    int state;
    int degrees;
    int times_lit;
};

static struct kiln kiln;

static void fire_up(struct kiln *k)
{
    k->times_lit++;
    k->degrees = 1200;
}

static void kiln_ready(struct kiln *k)
{
    int s = __atomic_load_n(&k->state, __ATOMIC_ACQUIRE);
    while (s != HOT) {
        if (s == COLD && __atomic_compare_exchange_n(&k->state, &s, HEATING, 0,
                                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            fire_up(k);
            __atomic_store_n(&k->state, HOT, __ATOMIC_RELEASE);
            return;
        }
        sched_yield();
        s = __atomic_load_n(&k->state, __ATOMIC_ACQUIRE);
    }
}

static void *potter(void *k)
{
    for (int i = 0; i < 2; i++) {
        kiln_ready(k);
        assert(kiln.degrees == 1200);
        assert(kiln.times_lit == 1);
    }
    return 0;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, potter, &kiln);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
