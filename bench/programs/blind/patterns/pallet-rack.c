#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { SLOTS = 4, NONE = 255 };

static atomic_uint head;
static atomic_uint next_free[SLOTS];
static atomic_int holders[SLOTS];

static unsigned take_slot(void)
{
    unsigned top = atomic_load(&head);

    for (;;) {
        unsigned rest = atomic_load(&next_free[top]);
        if (atomic_compare_exchange_strong(&head, &top, rest))
            return top;
    }
}

static void give_slot(unsigned slot)
{
    unsigned top = atomic_load(&head);

    do {
        atomic_store(&next_free[slot], top);
    } while (!atomic_compare_exchange_strong(&head, &top, slot));
}

static unsigned store_pallet(void)
{
    unsigned slot = take_slot();
    int before = atomic_fetch_add(&holders[slot], 1);
    assert(before == 0);
    return slot;
}

static void fetch_pallet(unsigned slot)
{
    atomic_fetch_sub(&holders[slot], 1);
    give_slot(slot);
}

static void *truck(void *unused)
{
    (void)unused;
    unsigned a = store_pallet();
    unsigned b = store_pallet();
    fetch_pallet(a);
    fetch_pallet(b);
    return NULL;
}

static void *forklift(void *unused)
{
    (void)unused;
    unsigned a = store_pallet();
    unsigned b = store_pallet();
    fetch_pallet(a);
    fetch_pallet(b);
    return NULL;
}

int main(void)
{
    pthread_t t, f;

    for (unsigned i = 0; i < SLOTS; i++)
        atomic_store(&next_free[i], i + 1 < SLOTS ? i + 1 : NONE);
    pthread_create(&t, NULL, truck, NULL);
    pthread_create(&f, NULL, forklift, NULL);
    pthread_join(t, NULL);
    pthread_join(f, NULL);
    printf("first free slot is %u\n", atomic_load(&head) & 255);
    return 0;
}
