// The interface of SV-COMP programs: unknown inputs under assumptions, atomic blocks, and an error that no input
// reaches.
#include <pthread.h>
#include <stdio.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern char __VERIFIER_nondet_char(void);
extern long __VERIFIER_nondet_long(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void reach_error(void);

static int low, high, steps;

static void __VERIFIER_atomic_shift(int amount)
{
    low += amount;
    high += amount;
}

static void *shift(void *arg)
{
    __VERIFIER_atomic_shift(*(const int *)arg);
    __VERIFIER_atomic_begin();
    if (low > high)
        reach_error();
    steps++;
    __VERIFIER_atomic_end();
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    int up = __VERIFIER_nondet_bool() ? 1 : 2;
    int down = -up;

    unsigned width = __VERIFIER_nondet_uint() % 4;
    low = __VERIFIER_nondet_int() % 100;
    high = low + (int)width;
    int start = low;
    pthread_create(&first, NULL, shift, &up);
    pthread_create(&second, NULL, shift, &down);
    pthread_join(first, NULL);
    pthread_join(second, NULL);

    long divisor = __VERIFIER_nondet_long() & 0xff;
    char letter = __VERIFIER_nondet_char();
    __VERIFIER_assume(steps == 2);
    if (divisor != 0 && (letter * divisor) / divisor != letter)
        reach_error();
    if (low != start || (unsigned)(high - low) != width)
        reach_error();
    printf("steps %d, back where it began\n", steps);
    return 0;
}
