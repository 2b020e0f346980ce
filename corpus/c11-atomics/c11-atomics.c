// C11 atomics of every width and order, first alone and then by two threads at once.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct version {
    uint16_t major, minor;
    uint32_t build;
};

static atomic_char tiny;
static _Atomic uint16_t half;
static atomic_int word;
static atomic_ullong wide;
static atomic_bool done;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static _Atomic double sum;
static _Atomic struct version version;
static int numbers[4] = {1, 2, 3, 4};
static _Atomic(int *) cursor = numbers;
static int guarded;

static void alone(void)
{
    atomic_init(&word, 5);
    int old = atomic_fetch_add_explicit(&word, 3, memory_order_relaxed);
    int before = atomic_exchange_explicit(&word, 20, memory_order_acq_rel);
    printf("word %d %d %d\n", old, before, atomic_load_explicit(&word, memory_order_acquire));

    int expected = 1;
    bool first = atomic_compare_exchange_strong(&word, &expected, 30);
    bool second =
        atomic_compare_exchange_strong_explicit(&word, &expected, 31, memory_order_seq_cst, memory_order_relaxed);
    printf("exchange %d %d, expected %d, word %d\n", first, second, expected, word);

    atomic_store_explicit(&tiny, 127, memory_order_release);
    tiny++;
    half = 0xff00;
    half |= 0x00ff;
    half ^= 0xf0f0;
    printf("tiny %d, half %04x\n", (signed char)tiny, half);
    atomic_fetch_or(&wide, 1ULL << 40);
    atomic_fetch_xor(&wide, 0xffULL);
    atomic_fetch_and(&wide, ~0x0fULL);
    wide -= 1;
    printf("wide %llx\n", wide);

    bool was_set = atomic_flag_test_and_set(&flag);
    bool is_set = atomic_flag_test_and_set_explicit(&flag, memory_order_acquire);
    atomic_flag_clear_explicit(&flag, memory_order_release);
    printf("flag %d %d\n", was_set, is_set);

    int *third = atomic_fetch_add(&cursor, 2) + 2;
    cursor--;
    printf("cursor %d, third %d\n", *cursor, *third);

    sum = 1.5;
    sum += 2.25;
    sum *= 2;
    struct version v = {1, 2, 300}, next = {2, 0, 1}, last = {3, 1, 4};
    atomic_store(&version, v);
    struct version seen = atomic_exchange(&version, next);
    struct version want = next;
    bool swapped = atomic_compare_exchange_strong(&version, &want, last);
    v = atomic_load(&version);
    printf("sum %.2f, version %d.%d.%u then %d.%d.%u, swapped %d\n", sum, seen.major, seen.minor, seen.build, v.major,
           v.minor, v.build, swapped);
}

static void *together(void *arg)
{
    int step = *(const int *)arg;

    word += step;
    atomic_fetch_sub(&half, (uint16_t)step);
    unsigned long long seen = atomic_load_explicit(&wide, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&wide, &seen, seen * 2 + 1))
        ;
    while (atomic_flag_test_and_set(&flag))
        ;
    guarded += step;
    atomic_flag_clear(&flag);
    atomic_thread_fence(memory_order_seq_cst);
    if (step == 2)
        done = true;
    return NULL;
}

int main(void)
{
    static const int steps[2] = {1, 2};
    pthread_t threads[2];

    alone();
    word = 0;
    half = 10;
    wide = 3;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, together, (void *)&steps[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    atomic_signal_fence(memory_order_acq_rel);
    printf("together: word %d, half %d, wide %llu, guarded %d, done %d\n", word, half, wide, guarded, done);
    return 0;
}
