// Two withdrawals of unknown amounts each test the balance and then take the money. For amounts that fit singly but
// not together, both tests can pass.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int balance = 3;

static void *withdraw(void *arg)
{
    int amount = *(const int *)arg;

    if (balance >= amount) {
        __VERIFIER_atomic_begin();
        balance -= amount;
        __VERIFIER_atomic_end();
    }
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    int amounts[2];

    for (int i = 0; i < 2; i++)
        amounts[i] = __VERIFIER_nondet_bool() ? 1 : 2;
    pthread_create(&first, NULL, withdraw, &amounts[0]);
    pthread_create(&second, NULL, withdraw, &amounts[1]);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(balance >= 0);
    return 0;
}
