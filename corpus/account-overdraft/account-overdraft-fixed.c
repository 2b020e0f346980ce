// A withdrawal looks at the balance and takes the money in one critical section.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static bool withdraw(int amount)
{
    bool covered;

    pthread_mutex_lock(&lock);
    covered = balance >= amount;
    if (covered)
        balance -= amount;
    pthread_mutex_unlock(&lock);
    return covered;
}

static void *customer(void *arg)
{
    withdraw(*(const int *)arg);
    return NULL;
}

int main(void)
{
    static const int rent = 70, groceries = 60;
    pthread_t first, second;

    pthread_create(&first, NULL, customer, (void *)&rent);
    pthread_create(&second, NULL, customer, (void *)&groceries);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(balance >= 0);
    return 0;
}
