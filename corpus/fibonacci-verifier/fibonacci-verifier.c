// Two threads add i to j and j to i, two rounds each. One after the other, they end with a sum of 10; any
// interleaving of their rounds ends with more.
#include <pthread.h>
#include <stddef.h>

extern void reach_error(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

#define ROUNDS 2

static int i = 1, j = 1;

static void *add_to_i(void *arg)
{
    (void)arg;
    for (int k = 0; k < ROUNDS; k++) {
        __VERIFIER_atomic_begin();
        i += j;
        __VERIFIER_atomic_end();
    }
    return NULL;
}

static void *add_to_j(void *arg)
{
    (void)arg;
    for (int k = 0; k < ROUNDS; k++) {
        __VERIFIER_atomic_begin();
        j += i;
        __VERIFIER_atomic_end();
    }
    return NULL;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, NULL, add_to_i, NULL);
    pthread_create(&second, NULL, add_to_j, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    if (i + j > 10)
        reach_error();
    return 0;
}
