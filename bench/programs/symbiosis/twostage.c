// data1 is changed in one critical section, data2 follows in another; a reader that comes in between sees them disagree.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { WRITERS = 2, ROUNDS = 8 };

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int data1, data2, writes, turns;

static void *write_both(void *argument) {
    (void)argument;
    for (int round = 1; round <= ROUNDS; round++) {
        pthread_mutex_lock(&first);
        data1 = round;
        writes++;
        turns++;
        pthread_mutex_unlock(&first);
        pthread_mutex_lock(&second);
        data2 = data1 + 1;
        pthread_mutex_unlock(&second);
    }
    return NULL;
}

static void *read_both(void *argument) {
    (void)argument;
    for (int round = 0; round < 3 * ROUNDS; round++) {
        pthread_mutex_lock(&first);
        int one = data1;
        turns++;
        pthread_mutex_unlock(&first);
        // The first values are of no interest.
        if (one < ROUNDS - 1) continue;
        pthread_mutex_lock(&second);
        int other = data2;
        pthread_mutex_unlock(&second);
        assert(other == one + 1);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[WRITERS + 1];
    for (int i = 0; i < WRITERS; i++) pthread_create(&threads[i], NULL, write_both, NULL);
    pthread_create(&threads[WRITERS], NULL, read_both, NULL);
    for (int i = 0; i <= WRITERS; i++) pthread_join(threads[i], NULL);
    return 0;
}
