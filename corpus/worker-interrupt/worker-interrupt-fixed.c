// A cache's janitor interrupts the loader only while it holds the lock that the loader needs to leave its guarded
// block.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool in_try_block, interrupted;
static int loaded;

static void *loader(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    in_try_block = true;
    pthread_mutex_unlock(&lock);

    loaded++;

    pthread_mutex_lock(&lock);
    if (interrupted)
        interrupted = false;
    in_try_block = false;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *janitor(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    bool inside = in_try_block;
    if (inside) {
        assert(in_try_block);
        interrupted = true;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t worker, cleaner;

    pthread_create(&worker, NULL, loader, NULL);
    pthread_create(&cleaner, NULL, janitor, NULL);
    pthread_join(worker, NULL);
    pthread_join(cleaner, NULL);
    return loaded != 1;
}
