// Two cash points pay into one account, whose balance is a double, without a lock. If both read it before either writes
// it back, one payment is lost.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static double balance = 100.0;

static void *cash_point(void *arg)
{
    const double *amount = arg;

    balance += *amount;
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
