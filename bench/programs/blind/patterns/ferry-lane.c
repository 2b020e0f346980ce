#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { CELLS = 2, CARS = 3, NOBODY = -1 };

static atomic_int lane[CELLS];
static atomic_uint front;
static atomic_uint back;
static atomic_int boarded[CARS];

static void arrive(int car)
{
    unsigned b = atomic_load(&back);

    atomic_store(&lane[b], car);
    atomic_store(&back, (b + 1) % CELLS);
}

static int board_next(void)
{
    for (;;) {
        unsigned f = atomic_load(&front);
        if (f == atomic_load(&back))
            return NOBODY;
        int car = atomic_load(&lane[f]);
        if (atomic_compare_exchange_strong(&front, &f, (f + 1) % CELLS))
            return car;
    }
}

static void check_aboard(int car)
{
    if (car == NOBODY)
        return;
    int before = atomic_fetch_add(&boarded[car], 1);
    assert(before == 0);
}

static void *bow_ramp(void *unused)
{
    (void)unused;
    check_aboard(board_next());
    return NULL;
}

static void *stern_ramp(void *unused)
{
    (void)unused;
    check_aboard(board_next());
    arrive(1);
    check_aboard(board_next());
    arrive(2);
    return NULL;
}

int main(void)
{
    pthread_t bow, stern;

    arrive(0);
    pthread_create(&bow, NULL, bow_ramp, NULL);
    pthread_create(&stern, NULL, stern_ramp, NULL);
    pthread_join(bow, NULL);
    pthread_join(stern, NULL);

    for (int i = 0; i < CARS; i++)
        printf("car %d %s\n", i, atomic_load(&boarded[i]) ? "aboard" : "waits");
    return 0;
}
