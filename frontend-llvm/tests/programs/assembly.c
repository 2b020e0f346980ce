/* The x86 idioms that inline assembly is understood in. */
#include <stdint.h>
#include <stdio.h>

static int compare_and_swap(volatile int *p, int old, int new) {
    int found;
    __asm__ __volatile__("lock; cmpxchgl %2, %1" : "=a"(found), "+m"(*p) : "r"(new), "0"(old) : "memory");
    return found;
}

static char swapped(volatile long *p, long old, long new) {
    char result;
    __asm__ __volatile__("lock; cmpxchgq %3, %1\n\tsetz %0"
                         : "=q"(result), "+m"(*p), "+a"(old)
                         : "r"(new)
                         : "memory", "cc");
    return result;
}

static int swapped_by_flag(int *p, int old, int new) {
    int result;
    __asm__ __volatile__("lock cmpxchgl %3,%1" : "=@ccz"(result), "+m"(*p), "+a"(old) : "r"(new));
    return result;
}

static int fetch_and_add(volatile int *p, int value) {
    __asm__ __volatile__("lock; xaddl %0, %1" : "+r"(value), "+m"(*p)::"memory");
    return value;
}

static int exchange(volatile int *p, int value) {
    __asm__ __volatile__("xchgl %0, %1" : "=r"(value), "+m"(*p) : "0"(value) : "memory");
    return value;
}

static void increment(volatile int *p) { __asm__ __volatile__("lock incl %0" : "+m"(*p)::"cc"); }

static void increment_behind(volatile int *p) { __asm__ __volatile__("lock; incl (%0)" ::"r"(p) : "cc", "memory"); }

static int decrement_and_test(volatile int *p) {
    unsigned char zero;
    __asm__ __volatile__("lock; decl %0; sete %1" : "=m"(*p), "=qm"(zero) : "m"(*p) : "memory");
    return zero;
}

static void add(volatile int *p, int value) {
    __asm__ __volatile__("lock; addl %1,%0" : "=m"(*p) : "ir"(value), "m"(*p));
}

static void combine(volatile int *p) {
    __asm__ __volatile__("lock; subl $3,%0" : "+m"(*p));
    __asm__ __volatile__("lock; orl %1,%0" : "+m"(*p) : "r"(0x50));
    __asm__ __volatile__("lock; andl %1,%0" : "+m"(*p) : "r"(0x7f));
    __asm__ __volatile__("xorl %1,%0" : "+m"(*p) : "r"(0x3));
}

static int test_and_set(volatile long *words, int bit) {
    int old;
    __asm__ __volatile__("lock; btsl %2,%1\n\tsbbl %0,%0" : "=r"(old), "+m"(*words) : "Ir"(bit) : "memory");
    return old;
}

struct pair {
    unsigned long low, high;
} __attribute__((aligned(16)));

static char swapped_twice(struct pair *p, struct pair old, struct pair new) {
    char result;
    __asm__ __volatile__("lock cmpxchg16b %1; setz %0"
                         : "=q"(result), "+m"(*p), "+a"(old.low), "+d"(old.high)
                         : "b"(new.low), "c"(new.high)
                         : "memory");
    return result;
}

static uint64_t clock_cycles(void) {
    uint32_t low, high;
    __asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

static void fences(void) {
    __asm__ __volatile__("mfence" ::: "memory");
    __asm__ __volatile__("lfence; sfence" ::: "memory");
    __asm__ __volatile__("rep; nop" ::: "memory");
    __asm__ __volatile__("pause");
    __asm__ __volatile__("" ::: "memory");
    __asm__ __volatile__("lock; addl $0,0(%%rsp)" ::: "memory", "cc");
    __builtin_ia32_pause();
    __builtin_ia32_mfence();
}

int main(void) {
    int x = 5;
    long l = 7;
    struct pair p = {1, 2};
    long bits[2] = {0, 0};
    int found = compare_and_swap(&x, 5, 6);
    printf("%d %d\n", found, x);
    found = compare_and_swap(&x, 5, 9);
    printf("%d %d\n", found, x);
    for (int i = 0; i < 2; i++) {
        found = swapped(&l, 7, 8 + i);
        printf("%d %ld\n", found, l);
    }
    found = fetch_and_add(&x, 4);
    printf("%d %d\n", found, x);
    found = exchange(&x, 77);
    printf("%d %d\n", found, x);
    increment(&x);
    increment_behind(&x);
    printf("%d\n", x);
    x = 2;
    for (int i = 0; i < 2; i++) {
        found = decrement_and_test(&x);
        printf("%d %d\n", found, x);
    }
    add(&x, 20);
    combine(&x);
    printf("%d\n", x);
    for (int i = 0; i < 3; i++) {
        found = test_and_set(bits, i < 2 ? 3 : 70);
        printf("%d %ld %ld\n", found, bits[0], bits[1]);
    }
    found = swapped_by_flag(&x, x, 3);
    printf("%d %d\n", found, x);
    found = swapped_by_flag(&x, 99, 4);
    printf("%d %d\n", found, x);
    for (unsigned long i = 0; i < 2; i++) {
        found = swapped_twice(&p, (struct pair){1, 2}, (struct pair){3 + i, 4 + i});
        printf("%d %lu %lu\n", found, p.low, p.high);
    }
    fences();
    int same = 3, moved;
    __asm__("" : "+r"(same));
    __asm__ __volatile__("movl %1, %0" : "=r"(moved) : "m"(x));
    __asm__ __volatile__("movl %1, %0" : "=m"(x) : "r"(moved + 1));
    printf("%d %d %d %d\n", same, moved, x, clock_cycles() > 0);
    return 0;
}
