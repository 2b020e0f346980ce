#include <pthread.h>
#include <stdlib.h>

#define ITEMS 3

static volatile int full;
static int slot;
static int received[ITEMS];

static void put(int v)
{
    while (full)
        __builtin_ia32_pause();
    slot = v;
    __sync_synchronize();
    full = 1;
}

static int get(void)
{
    int v;

    while (!full)
        __builtin_ia32_pause();
    __sync_synchronize();
    v = slot;
    __sync_synchronize();
    full = 0;
    return v;
}

static void *producer(void *arg)
{
    (void)arg;
    for (int i = 1; i <= ITEMS; i++)
        put(i);
    return NULL;
}

static void *consumer(void *arg)
{
    (void)arg;
    for (int i = 0; i < ITEMS; i++) {
        received[i] = get();
    }
    return NULL;
}

int main(void)
{
    pthread_t p, c;

    pthread_create(&p, NULL, producer, NULL);
    pthread_create(&c, NULL, consumer, NULL);
    pthread_join(p, NULL);
    pthread_join(c, NULL);
    for (int i = 0; i < ITEMS; i++)
        if (received[i] != i + 1)
            abort();
    return 0;
}
