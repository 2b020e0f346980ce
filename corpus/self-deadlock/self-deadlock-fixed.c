// insert() holds the cache's lock and calls evict_locked(), which expects it to be held.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define CAPACITY 1

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int entries;

static void evict_locked(void)
{
    entries--;
}

static void insert(void)
{
    pthread_mutex_lock(&lock);
    if (entries == CAPACITY)
        evict_locked();
    entries++;
    assert(entries <= CAPACITY);
    pthread_mutex_unlock(&lock);
}

static void take(void)
{
    pthread_mutex_lock(&lock);
    if (entries > 0)
        entries--;
    pthread_mutex_unlock(&lock);
}

static void *client(void *arg)
{
    (void)arg;
    insert();
    take();
    return NULL;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, NULL, client, NULL);
    pthread_create(&second, NULL, client, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return entries;
}
