#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#define ITEMS 4

struct slot {
    volatile int full;
    volatile int data;
};

static struct slot slot;

static void slot_put(struct slot *s, int v)
{
    while (s->full)
        sched_yield();
    s->data = v;
    s->full = 1;
}

static int slot_get(struct slot *s)
{
    int v;

    while (!s->full)
        sched_yield();
    v = s->data;
    s->full = 0;
    return v;
}

static void *producer(void *arg)
{
    int i;

    for (i = 1; i <= ITEMS; i++)
        slot_put(arg, i * i);
    return NULL;
}

static void *consumer(void *arg)
{
    int i, v, sum = 0;

    for (i = 1; i <= ITEMS; i++) {
        v = slot_get(arg);
        assert(v == i * i);
        sum += v;
    }
    return (void *)(long)sum;
}

int main(void)
{
    pthread_t p, c;
    void *sum;

    pthread_create(&c, NULL, consumer, &slot);
    pthread_create(&p, NULL, producer, &slot);
    pthread_join(p, NULL);
    pthread_join(c, &sum);
    assert((long)sum == 30);
    printf("sum %ld\n", (long)sum);
    return 0;
}
