#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>

/* a place is free for number n as soon as n < left + LIMIT */
#define LIMIT 2u

static atomic_uint entered;
static atomic_uint left_;
static atomic_uint weight;

static inline void lift_enter(void)
{
    unsigned n = atomic_fetch_add(&entered, 1);

    while (n >= atomic_load(&left_) + LIMIT)
        ;
}

static inline void lift_leave(void)
{
    atomic_fetch_add(&left_, 1);
}

static void *rider(void *arg)
{
    unsigned kg = *(unsigned *)arg;

    for (int i = 0; i < 2; i++) {
        lift_enter();
        unsigned w = atomic_fetch_add(&weight, kg) + kg;
        assert(w <= LIMIT * 100);
        atomic_fetch_sub(&weight, kg);
        lift_leave();
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    unsigned kg[3] = { 100, 90, 80 };

    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, rider, &kg[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(weight == 0);
    return 0;
}
