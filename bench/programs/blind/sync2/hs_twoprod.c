/* Several stations hand parcels to one courier. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#define STATIONS 2
#define PARCELS  2

static atomic_int full;
static atomic_int parcel;

static void hand_over(int what)
{
    while (atomic_load(&full) != 0)
        sched_yield();
    atomic_store(&parcel, what);
    atomic_store(&full, 1);
}

static int pick_up(void)
{
    int what;

    while (atomic_load(&full) == 0)
        sched_yield();
    what = atomic_load(&parcel);
    atomic_store(&full, 0);
    return what;
}

static void *station(void *arg)
{
    int id = (int)(long)arg;
    int i;

    for (i = 0; i < PARCELS; i++) {
        usleep(1000 + 1700 * id);
        hand_over(10 * (id + 1) + i);
    }
    return NULL;
}

static void *courier(void *arg)
{
    int i, sum = 0;

    (void)arg;
    for (i = 0; i < STATIONS * PARCELS; i++)
        sum += pick_up();
    assert(sum == 62);
    return NULL;
}

int main(void)
{
    pthread_t s[STATIONS], c;
    long i;

    pthread_create(&c, NULL, courier, NULL);
    for (i = 0; i < STATIONS; i++)
        pthread_create(&s[i], NULL, station, (void *)i);
    for (i = 0; i < STATIONS; i++)
        pthread_join(s[i], NULL);
    pthread_join(c, NULL);
    puts("delivered");
    return 0;
}
