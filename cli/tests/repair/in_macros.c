/* The test and the withdrawal are macros with a section each. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

#define COVERS(result, amount)              \
    do {                                    \
        pthread_mutex_lock(&lock);          \
        result = balance >= (amount);       \
        pthread_mutex_unlock(&lock);        \
    } while (0)

#define TAKE(amount)                        \
    do {                                    \
        pthread_mutex_lock(&lock);          \
        balance -= (amount);                \
        pthread_mutex_unlock(&lock);        \
    } while (0)

static void *withdraw(void *arg)
{
    int covered;

    COVERS(covered, 80);
    if (covered)
        TAKE(80);
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, withdraw, NULL);
    pthread_create(&b, NULL, withdraw, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(balance >= 0);
    return 0;
}
