// Two cash points pay into one account, whose balance is a double, under its lock.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static double balance = 100.0;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *cash_point(void *arg)
{
    const double *amount = arg;

    pthread_mutex_lock(&lock);
    balance += *amount;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t north, south;
    double large = 20.5, small = 0.25;

    pthread_create(&north, NULL, cash_point, &large);
    pthread_create(&south, NULL, cash_point, &small);
    pthread_join(north, NULL);
    pthread_join(south, NULL);
    assert(balance == 120.75);
    return 0;
}
