#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum vehicle { CAR, TRUCK, VEHICLE_KINDS };

typedef struct {
    pthread_mutex_t lock;
    long cents;
} till_t;

static till_t till = { PTHREAD_MUTEX_INITIALIZER, 0 };
static const long fee[VEHICLE_KINDS] = { 250, 900 };

static long till_read(till_t *t)
{
    pthread_mutex_lock(&t->lock);
    long cents = t->cents;
    pthread_mutex_unlock(&t->lock);
    return cents;
}

static void till_add(till_t *t, long cents)
{
    pthread_mutex_lock(&t->lock);
    t->cents += cents;
    pthread_mutex_unlock(&t->lock);
}

static void collect(till_t *t, enum vehicle kind)
{
    till_add(t, fee[kind]);
}

static void *car_lane(void *arg)
{
    collect(arg, CAR);
    collect(arg, CAR);
    return NULL;
}

static void *truck_lane(void *arg)
{
    collect(arg, TRUCK);
    return NULL;
}

int main(void)
{
    pthread_t cars, trucks;

    pthread_create(&cars, NULL, car_lane, &till);
    pthread_create(&trucks, NULL, truck_lane, &till);
    pthread_join(cars, NULL);
    pthread_join(trucks, NULL);

    long total = till_read(&till);
    printf("till holds %ld cents\n", total);
    assert(total == 2 * fee[CAR] + fee[TRUCK]);
    return 0;
}
