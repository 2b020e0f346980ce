// A spin lock, a counter and a swap written with x86 instructions.
#include <pthread.h>
#include <stdio.h>

static int lock, guarded;
static int counter = 100;
static long turns;

static int compare_exchange(int *p, int expected, int desired)
{
    int seen;

    __asm__ volatile("lock; cmpxchgl %2, %1" : "=a"(seen), "+m"(*p) : "r"(desired), "0"(expected) : "memory", "cc");
    return seen;
}

static int exchange(int *p, int value)
{
    __asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(*p) : : "memory");
    return value;
}

static int fetch_add(int *p, int amount)
{
    __asm__ volatile("lock; xaddl %0, %1" : "+r"(amount), "+m"(*p) : : "memory", "cc");
    return amount;
}

static long fetch_add_long(long *p, long amount)
{
    __asm__ volatile("lock; xaddq %0, %1" : "+r"(amount), "+m"(*p) : : "memory", "cc");
    return amount;
}

static void full_fence(void)
{
    __asm__ volatile("mfence" : : : "memory");
}

static void relax(void)
{
    __asm__ volatile("pause" : : : "memory");
}

static void acquire(void)
{
    while (compare_exchange(&lock, 0, 1) != 0)
        relax();
}

static void release(void)
{
    full_fence();
    exchange(&lock, 0);
}

static void *worker(void *arg)
{
    int step = *(const int *)arg;

    fetch_add(&counter, step);
    acquire();
    guarded += step;
    release();
    fetch_add_long(&turns, 1L << 33);
    return NULL;
}

int main(void)
{
    static const int steps[2] = {5, 7};
    pthread_t threads[2];
    int word = 3;

    int seen = compare_exchange(&word, 4, 9);
    printf("failed exchange saw %d, word %d\n", seen, word);
    seen = compare_exchange(&word, 3, 9);
    printf("exchange saw %d, word %d\n", seen, word);
    seen = exchange(&word, 12);
    printf("swapped %d for %d\n", seen, word);
    seen = fetch_add(&word, -2);
    printf("added to %d, word %d\n", seen, word);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)&steps[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("counter %d, guarded %d, lock %d, turns %ld\n", counter, guarded, lock, turns >> 33);
    return 0;
}
