/* A price list under a read/write lock: whether a price is there and entering it are two calls. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int entered;

static int is_there(void)
{
    int there;

    pthread_rwlock_rdlock(&lock);
    there = entered > 0;
    pthread_rwlock_unlock(&lock);
    return there;
}

static void enter(void)
{
    pthread_rwlock_wrlock(&lock);
    entered++;
    pthread_rwlock_unlock(&lock);
}

static void *offer(void *arg)
{
    if (!is_there())
        enter();
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, offer, NULL);
    pthread_create(&b, NULL, offer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(entered == 1);
    return 0;
}
