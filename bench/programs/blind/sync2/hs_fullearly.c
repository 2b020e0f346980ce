#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define COUNT 3

static volatile int full;
static volatile int data;

static void put(int v)
{
    while (full)
        usleep(30);
    full = 1;
    data = v;
}

static int get(void)
{
    int v;

    while (!full)
        usleep(30);
    v = data;
    full = 0;
    return v;
}

static void *source(void *arg)
{
    int i;

    (void)arg;
    for (i = 1; i <= COUNT; i++)
        put(i * 11);
    return NULL;
}

static void *sink(void *arg)
{
    int i;

    for (i = 1; i <= COUNT; i++) {
        int v = get();
        assert(v == i * 11);
        *(int *)arg += v;
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int sum = 0;

    pthread_create(&a, NULL, source, NULL);
    pthread_create(&b, NULL, sink, &sum);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(sum == 66);
    printf("sum %d\n", sum);
    return 0;
}
