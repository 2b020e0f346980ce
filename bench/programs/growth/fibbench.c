// Two threads add j to i and i to j, N rounds each. When the rounds alternate strictly, the later of the two numbers is the
// largest that can come about: the Fibonacci number 2N + 2. With -DCORRECT the bound is one higher, and nothing reaches it.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 5
#endif

static const int fibonacci[] = {1,    1,    2,    3,    5,     8,     13,    21,    34,    55,     89,    144,   233,
                                377,  610,  987,  1597, 2584,  4181,  6765,  10946, 17711, 28657,  46368, 75025, 121393};

_Static_assert(N >= 1 && 2 * N + 2 <= sizeof fibonacci / sizeof fibonacci[0], "N is from 1 to 12");

static int i = 1, j = 1;

static void *grow_i(void *argument) {
    (void)argument;
    for (int round = 0; round < N; round++) {
        i += j;
    }
    return NULL;
}

static void *grow_j(void *argument) {
    (void)argument;
    for (int round = 0; round < N; round++) {
        j += i;
    }
    return NULL;
}

int main(void) {
    pthread_t first, second;
    int bound = fibonacci[2 * N + 1];

#ifdef CORRECT
    bound++;
#endif
    pthread_create(&first, NULL, grow_i, NULL);
    pthread_create(&second, NULL, grow_j, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);

    assert(i < bound && j < bound);
    return 0;
}
