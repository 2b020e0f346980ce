// A ring for one producer and one consumer. The producer fills the slot and then announces it by advancing `tail`.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define SLOTS 2
#define SAMPLES 3

static atomic_int slots[SLOTS];
static atomic_uint head, tail;

static void put(int sample)
{
    unsigned t = atomic_load(&tail);

    while (t - atomic_load(&head) == SLOTS)
        ;
    atomic_store(&slots[t % SLOTS], sample);
    atomic_store(&tail, t + 1);
}

static int get(void)
{
    unsigned h = atomic_load(&head);
    int sample;

    while (atomic_load(&tail) == h)
        ;
    sample = atomic_load(&slots[h % SLOTS]);
    atomic_store(&head, h + 1);
    return sample;
}

static void *microphone(void *arg)
{
    (void)arg;
    for (int i = 1; i <= SAMPLES; i++)
        put(i);
    return NULL;
}

static void *recorder(void *arg)
{
    (void)arg;
    for (int i = 1; i <= SAMPLES; i++) {
        int sample = get();
        assert(sample == i);
    }
    return NULL;
}

int main(void)
{
    pthread_t producer, consumer;

    pthread_create(&producer, NULL, microphone, NULL);
    pthread_create(&consumer, NULL, recorder, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    return 0;
}
