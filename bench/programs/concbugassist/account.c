// One thread deposits, one withdraws, each under the lock, and each says so in a flag. The auditor takes the lock,
// too, but does not wait for the flags: it comes before one of them and finds a balance that is not the final one.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { OPENING = 10, DEPOSIT = 7, WITHDRAWAL = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = OPENING;
static int deposited, withdrawn;

static void *deposit(void *argument) {
    (void)argument;
    pthread_mutex_lock(&lock);
    balance += DEPOSIT;
    deposited = 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *withdraw(void *argument) {
    (void)argument;
    pthread_mutex_lock(&lock);
    balance -= WITHDRAWAL;
    withdrawn = 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *audit(void *argument) {
    (void)argument;
    pthread_mutex_lock(&lock);
    assert(balance == OPENING + DEPOSIT - WITHDRAWAL);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t depositor, withdrawer, auditor;

    pthread_create(&depositor, NULL, deposit, NULL);
    pthread_create(&withdrawer, NULL, withdraw, NULL);
    pthread_create(&auditor, NULL, audit, NULL);
    pthread_join(depositor, NULL);
    pthread_join(withdrawer, NULL);
    pthread_join(auditor, NULL);

    assert(deposited && withdrawn);
    assert(balance == OPENING + DEPOSIT - WITHDRAWAL);
    return 0;
}
