// Two threads add j to i and i to j, six rounds each, without agreement about turns. When the rounds alternate
// strictly, both numbers run through the Fibonacci series up to the bound that was thought out of reach.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { ROUNDS = 6, BOUND = 377 };

static int i = 1, j = 1;

static void *grow_i(void *argument) {
    (void)argument;
    for (int round = 0; round < ROUNDS; round++) {
        i += j;
    }
    return NULL;
}

static void *grow_j(void *argument) {
    (void)argument;
    for (int round = 0; round < ROUNDS; round++) {
        j += i;
    }
    return NULL;
}

int main(void) {
    pthread_t first, second;

    pthread_create(&first, NULL, grow_i, NULL);
    pthread_create(&second, NULL, grow_j, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);

    assert(i < BOUND && j < BOUND);
    return 0;
}
