// The limits of a thermostat always satisfy low <= high; they are set and read under one lock.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct limits {
    pthread_mutex_t lock;
    int low, high;
};

static struct limits limits = {PTHREAD_MUTEX_INITIALIZER, 16, 18};

static void set_limits(struct limits *l, int low, int high)
{
    pthread_mutex_lock(&l->lock);
    l->low = low;
    l->high = high;
    pthread_mutex_unlock(&l->lock);
}

static void *heat(void *arg)
{
    set_limits(arg, 20, 23);
    return NULL;
}

static void *control(void *arg)
{
    struct limits *l = arg;
    int low, high;

    pthread_mutex_lock(&l->lock);
    low = l->low;
    high = l->high;
    pthread_mutex_unlock(&l->lock);
    assert(low <= high);
    return NULL;
}

int main(void)
{
    pthread_t heater, controller;

    pthread_create(&heater, NULL, heat, &limits);
    pthread_create(&controller, NULL, control, &limits);
    pthread_join(heater, NULL);
    pthread_join(controller, NULL);
    return 0;
}
