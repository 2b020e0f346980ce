// A lock-free free list of frame slots. Its head packs a slot number with a tag that grows with each change, so that
// a slot that was taken and given back is told from one that never moved.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define SLOTS 3
#define NONE 0xffffffffu

static atomic_uint next_of[SLOTS] = {1, 2, NONE};
static atomic_int holders[SLOTS];
static _Atomic uint64_t head;

static uint64_t pack(uint32_t slot, uint64_t changed)
{
    return (((changed >> 32) + 1) << 32) | slot;
}

static uint32_t take(void)
{
    uint64_t seen = atomic_load(&head);
    uint32_t slot = (uint32_t)seen;

    while (slot != NONE && !atomic_compare_exchange_strong(&head, &seen, pack(atomic_load(&next_of[slot]), seen)))
        slot = (uint32_t)seen;
    if (slot != NONE) {
        int before = atomic_fetch_add(&holders[slot], 1);
        assert(before == 0);
    }
    return slot;
}

static void give_back(uint32_t slot)
{
    uint64_t seen = atomic_load(&head);

    atomic_fetch_sub(&holders[slot], 1);
    do {
        atomic_store(&next_of[slot], (uint32_t)seen);
    } while (!atomic_compare_exchange_strong(&head, &seen, pack(slot, seen)));
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
