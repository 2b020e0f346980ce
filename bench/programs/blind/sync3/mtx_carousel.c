#include <assert.h>
#include <pthread.h>
#include <sched.h>

#define SEATS 2
#define KIDS 3

static volatile int go[SEATS] = { 1, 0 };
static unsigned counter;
static int horse;
static int rides;

static unsigned get_on(void)
{
    unsigned seat = __sync_fetch_and_add(&counter, 1) % SEATS;
    while (!go[seat])
        sched_yield();
    __sync_synchronize();
    return seat;
}

static void get_off(unsigned seat)
{
    go[seat] = 0;
    __sync_synchronize();
    go[(seat + 1) % SEATS] = 1;
}

static void *kid(void *arg)
{
    int me = (int)(long)arg + 1;
    for (int i = 0; i < 2; i++) {
        unsigned seat = get_on();
        horse = me;
        rides++;
        assert(horse == me);
        get_off(seat);
    }
    return 0;
}

int main(void)
{
    pthread_t t[KIDS];
    for (long i = 0; i < KIDS; i++)
        pthread_create(&t[i], 0, kid, (void *)i);
    for (int i = 0; i < KIDS; i++)
        pthread_join(t[i], 0);
    return rides > KIDS * 2;
}
