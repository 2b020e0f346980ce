#include <pthread.h>
#include <stdatomic.h>

#define CAPACITY 2

static atomic_int slots = CAPACITY;
int meter[3];

static void slot_wait(void)
{
    int s = atomic_load(&slots);

    do {
        while (s == 0)
            s = atomic_load(&slots);
    } while (!atomic_compare_exchange_strong(&slots, &s, s - 1));
}

static void slot_post(void)
{
    int s = atomic_load(&slots);

    if (s < CAPACITY)
        atomic_store(&slots, s + 1);
}

static void *charge(void *arg)
{
    int car = (int)(long)arg;

    for (int i = 0; i < 2; i++) {
        slot_wait();
        meter[car] += 10;
        slot_post();
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];

    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, charge, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
