#include <assert.h>
#include <pthread.h>
#include <sched.h>

static volatile int left_hot, right_hot;
static int left_temp, right_temp;

static void *heat_left(void *u)
{
    left_temp = 200;
    __sync_synchronize();
    left_hot = 1;
    return u;
}

static void *heat_right(void *u)
{
    right_temp = 180;
    __sync_synchronize();
    right_hot = 1;
    return u;
}

static void *cook(void *u)
{
    while (!left_hot && !right_hot)
        sched_yield();
    __sync_synchronize();
    assert(left_temp == 200);
    assert(right_temp == 180);
    return u;
}

int main(void)
{
    pthread_t l, r, c;
    pthread_create(&c, 0, cook, 0);
    pthread_create(&l, 0, heat_left, 0);
    pthread_create(&r, 0, heat_right, 0);
    pthread_join(l, 0);
    pthread_join(r, 0);
    pthread_join(c, 0);
    return 0;
}
