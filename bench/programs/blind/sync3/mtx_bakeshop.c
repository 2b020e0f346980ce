#include <assert.h>
#include <pthread.h>
#include <sched.h>

struct desk {
    volatile int roll;
    volatile int window;
};

static struct desk bread;
static int loaves, at_desk;

static inline int tear_off(volatile int *p)
{
    int n = 1;
    __asm__ __volatile__("lock; xaddl %0, %1" : "+r"(n), "+m"(*p) : : "memory");
    return n;
}

static void desk_queue(struct desk *d)
{
    int mine = tear_off(&d->roll);
    int gap;
    while ((gap = mine - d->window) != 0) {
        for (int k = 0; k < gap * 16; k++)
            __asm__ __volatile__("pause" : : : "memory");
        sched_yield();
    }
    __asm__ __volatile__("" : : : "memory");
}

static void desk_next(struct desk *d)
{
    __asm__ __volatile__("" : : : "memory");
    d->window = d->window + 1;
}

static void *customer(void *unused)
{
    (void)unused;
    for (int i = 0; i < 4; i++) {
        desk_queue(&bread);
        assert(at_desk == 0);
        at_desk = 1;
        loaves++;
        at_desk = 0;
        desk_next(&bread);
    }
    return 0;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, customer, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    assert(loaves == 12);
    return 0;
}
