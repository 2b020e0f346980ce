#include <assert.h>
#include <pthread.h>

void reach_error(void) { assert(0); }

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static int withdraw(int amount)
{
    int ok;
    pthread_mutex_lock(&m);
    ok = balance >= amount;
    pthread_mutex_unlock(&m);
    if (ok) {
        pthread_mutex_lock(&m);
        balance -= amount;
        pthread_mutex_unlock(&m);
    }
    return ok;
}

static void *customer(void *arg)
{
    withdraw(60);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, customer, 0);
    pthread_create(&b, 0, customer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (balance < 0)
        reach_error();
    return 0;
}
