// A cache's janitor interrupts the loader when it sees it inside its guarded block. Seeing and interrupting are two
// steps: the loader may have left the block, and the interrupt hits it where nothing catches it.
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
    pthread_mutex_unlock(&lock);
    if (!inside)
        return NULL;

    pthread_mutex_lock(&lock);
    assert(in_try_block);
    interrupted = true;
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
