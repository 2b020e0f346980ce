/* Atomics of all widths, and one copy of a variable for each thread. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

struct pair {
    int a, b;
};

static _Atomic int number;
static atomic_long longer;
static _Atomic(char) letter;
static _Atomic short mask;
static _Atomic double fraction;
static _Atomic float narrow;
static _Atomic _Bool truth;
static _Atomic(void *) pointer;
static _Atomic struct pair pair;
static atomic_flag busy = ATOMIC_FLAG_INIT;
static _Thread_local int mine = 5;
static __thread struct {
    int numbers[4];
} own = {{1, 2, 3, 4}};

static void *work(void *argument) {
    (void)argument;
    for (int i = 0; i < 10; i++) {
        number++;
        longer += 2;
        letter--;
        mask |= 1 << i;
        fraction += 0.5;
        struct pair old = pair, new;
        do {
            new.a = old.a + 1;
            new.b = old.b - 1;
        } while (!atomic_compare_exchange_weak(&pair, &old, new));
        while (atomic_flag_test_and_set(&busy)) {
        }
        atomic_flag_clear(&busy);
        mine++;
        own.numbers[2] += 2;
    }
    atomic_thread_fence(memory_order_seq_cst);
    return (void *)(long)(mine + own.numbers[2]);
}

int main(void) {
    pthread_t threads[2];
    void *results[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, work, NULL);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], &results[i]);
    }
    struct pair last = pair;
    printf("%d %ld %d %d %g %d %d\n", number, longer, letter, mask, fraction, last.a, last.b);
    printf("%ld %ld %d %d\n", (long)results[0], (long)results[1], mine, own.numbers[2]);
    int old = atomic_fetch_xor(&number, 3);
    printf("%d %d ", old, atomic_exchange(&number, 9));
    old = __sync_fetch_and_add(&mine, 4);
    printf("%d %d ", old, __sync_bool_compare_and_swap(&mine, 9, 1));
    printf("%d\n", __sync_val_compare_and_swap(&mine, 1, 2));
    __sync_synchronize();
    int expected = 3;
    int done = __atomic_compare_exchange_n(&mine, &expected, 8, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    pointer = &expected;
    narrow = 1.5f;
    narrow -= 0.25f;
    truth = 1;
    truth ^= 1;
    printf("%d %d %d %g %d\n", done, expected, *(int *)pointer, narrow, truth);
    old = __atomic_fetch_max(&mine, 7, __ATOMIC_SEQ_CST);
    printf("%d %d %d\n", old, mine, atomic_is_lock_free(&number));
    return 0;
}
