// Two tellers add to an account of their own and to a common total, without a lock.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { TELLERS = 2, ROUNDS = 15 };

static int accounts[TELLERS];
static int total;

static void *work(void *argument) {
    int *account = argument;
    for (int round = 1; round <= ROUNDS; round++) {
        *account += round;
        total += round;
    }
    return NULL;
}

int main(void) {
    pthread_t tellers[TELLERS];
    for (int i = 0; i < TELLERS; i++) pthread_create(&tellers[i], NULL, work, &accounts[i]);
    for (int i = 0; i < TELLERS; i++) pthread_join(tellers[i], NULL);
    int sum = 0;
    for (int i = 0; i < TELLERS; i++) sum += accounts[i];
    assert(total == sum);
    return 0;
}
