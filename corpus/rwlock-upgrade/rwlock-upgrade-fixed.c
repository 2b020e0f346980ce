// A resolver gives its read lock back before it asks for the write lock, and looks again once it has it.
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int route = 3;

static int resolve(void)
{
    int found;

    pthread_rwlock_rdlock(&lock);
    found = route;
    if (found == 0) {
        pthread_rwlock_unlock(&lock);
        pthread_rwlock_wrlock(&lock);
        if (route == 0)
            route = 7;
        found = route;
    }
    pthread_rwlock_unlock(&lock);
    return found;
}

static void *resolver(void *arg)
{
    (void)arg;
    int found = resolve();
    assert(found == 3 || found == 7);
    return NULL;
}

static void *invalidate(void *arg)
{
    (void)arg;
    pthread_rwlock_wrlock(&lock);
    route = 0;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t first, second, updater;

    pthread_create(&first, NULL, resolver, NULL);
    pthread_create(&second, NULL, resolver, NULL);
    pthread_create(&updater, NULL, invalidate, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    pthread_join(updater, NULL);
    return 0;
}
