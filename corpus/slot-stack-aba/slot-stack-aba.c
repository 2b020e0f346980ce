// A lock-free free list of frame slots. Its head is a slot number: when the first slot is taken and given back
// between the load and the compare-exchange of another thread, the list looks unchanged although its second slot is
// gone.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define SLOTS 3
#define NONE 0xffffffffu

static atomic_uint next_of[SLOTS] = {1, 2, NONE};
static atomic_int holders[SLOTS];
static atomic_uint head;

static uint32_t take(void)
{
    uint32_t slot = atomic_load(&head);

    while (slot != NONE && !atomic_compare_exchange_strong(&head, &slot, atomic_load(&next_of[slot])))
        ;
    if (slot != NONE) {
        int before = atomic_fetch_add(&holders[slot], 1);
        assert(before == 0);
    }
    return slot;
}

static void give_back(uint32_t slot)
{
    uint32_t first = atomic_load(&head);

    atomic_fetch_sub(&holders[slot], 1);
    do {
        atomic_store(&next_of[slot], first);
    } while (!atomic_compare_exchange_strong(&head, &first, slot));
}

static void *decoder(void *arg)
{
    (void)arg;
    take();
    take();
    return NULL;
}

static void *capture(void *arg)
{
    (void)arg;
    uint32_t first = take();
    take();
    if (first != NONE)
        give_back(first);
    return NULL;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, decoder, NULL);
    pthread_create(&two, NULL, capture, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
