// The compiler's own atomic builtins, old (__sync) and new (__atomic), on plain variables.
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

static int8_t tiny = 1;
static uint16_t half = 0x0ff0;
static int word = 10;
static uint64_t wide = 1;
static void *slot;
static char guard;
static int lock;
static int guarded, hits;

static void atomic_builtins(void)
{
    int expected = 11, desired = 20, result;

    printf("load %d\n", __atomic_load_n(&word, __ATOMIC_ACQUIRE));
    __atomic_store_n(&word, 11, __ATOMIC_RELEASE);
    bool first = __atomic_compare_exchange_n(&word, &expected, 12, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    bool second = __atomic_compare_exchange(&word, &expected, &desired, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    printf("exchanged %d %d, expected %d\n", first, second, expected);
    int after = __atomic_add_fetch(&word, 5, __ATOMIC_SEQ_CST);
    int before = __atomic_fetch_sub(&word, 3, __ATOMIC_RELAXED);
    __atomic_exchange(&word, &desired, &result, __ATOMIC_SEQ_CST);
    printf("after %d, before %d, result %d, word %d\n", after, before, result, word);
    uint16_t masked = __atomic_and_fetch(&half, 0xff, __ATOMIC_SEQ_CST);
    uint16_t old = __atomic_fetch_nand(&half, 0x30, __ATOMIC_SEQ_CST);
    printf("masked %04x, old %04x, half %04x\n", masked, old, half);
    __atomic_store_n(&slot, &word, __ATOMIC_RELEASE);
    int *found = __atomic_exchange_n(&slot, NULL, __ATOMIC_ACQ_REL);
    printf("slot %d, now null %d\n", *found, slot == NULL);
    bool was = __atomic_test_and_set(&guard, __ATOMIC_SEQ_CST);
    bool is = __atomic_test_and_set(&guard, __ATOMIC_SEQ_CST);
    __atomic_clear(&guard, __ATOMIC_SEQ_CST);
    printf("guard %d %d %d\n", was, is, guard);
}

static void sync_builtins(void)
{
    int8_t old = __sync_fetch_and_add(&tiny, 126);
    int8_t next = __sync_add_and_fetch(&tiny, 1);
    printf("tiny %d %d\n", old, next);
    uint64_t bits = __sync_fetch_and_or(&wide, (uint64_t)1 << 50);
    uint64_t flipped = __sync_xor_and_fetch(&wide, 1);
    printf("wide %llx %llx\n", (unsigned long long)bits, (unsigned long long)flipped);
    bool swapped = __sync_bool_compare_and_swap(&word, 1, 2);
    int seen = __sync_val_compare_and_swap(&word, 20, 21);
    printf("swap %d %d, word %d\n", swapped, seen, word);
    __sync_synchronize();
    int free_before = __sync_lock_test_and_set(&lock, 1);
    int taken_before = __sync_lock_test_and_set(&lock, 1);
    printf("test and set %d %d\n", free_before, taken_before);
    __sync_lock_release(&lock);
}

static void *hit(void *arg)
{
    int times = *(const int *)arg;

    for (int i = 0; i < times; i++)
        __sync_fetch_and_add(&hits, 1);
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
        while (__atomic_load_n(&lock, __ATOMIC_RELAXED))
            __builtin_ia32_pause();
    guarded += times;
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
    return NULL;
}

int main(void)
{
    static const int times[2] = {2, 1};
    pthread_t threads[2];

    atomic_builtins();
    sync_builtins();
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, hit, (void *)&times[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("hits %d, guarded %d\n", hits, guarded);
    return 0;
}
