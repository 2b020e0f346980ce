// Two threads add j to i and i to j, five rounds each. Whoever comes first finishes all rounds before the other
// begins, and the numbers stay far below the bound.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { ROUNDS = 5, BOUND = 144 };

static int i = 1, j = 1;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void *grow_i(void *argument) {
    (void)argument;
    pthread_mutex_lock(&turn);
    for (int round = 0; round < ROUNDS; round++) {
        i += j;
    }
    pthread_mutex_unlock(&turn);
    return NULL;
}

static void *grow_j(void *argument) {
    (void)argument;
    pthread_mutex_lock(&turn);
    for (int round = 0; round < ROUNDS; round++) {
        j += i;
    }
    pthread_mutex_unlock(&turn);
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
