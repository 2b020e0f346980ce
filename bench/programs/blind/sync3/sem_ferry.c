#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int room = 2;
static atomic_int on_deck;

static void drive_on(atomic_int *r)
{
    int v = atomic_load(r);
    while (v <= 0 || !atomic_compare_exchange_weak(r, &v, v - 1)) {
        sched_yield();
        v = atomic_load(r);
    }
}

static void drive_off(atomic_int *r)
{
    atomic_fetch_add(r, 1);
}

static void *car(void *u)
{
    for (int trip = 0; trip < 4; trip++) {
        drive_on(&room);
        int n = atomic_fetch_add(&on_deck, 1) + 1;
        assert(n <= 2);
        sched_yield();
        atomic_fetch_sub(&on_deck, 1);
        drive_off(&room);
    }
    return u;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, car, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    assert(atomic_load(&room) == 2);
    return 0;
}
