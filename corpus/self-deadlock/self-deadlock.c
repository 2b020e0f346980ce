// insert() holds the cache's lock and calls evict() when the cache is full. evict() takes the lock itself, and a
// thread waits for a lock that it holds. Whether the second insertion finds a full cache depends on the first.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define CAPACITY 1

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int entries;

static void evict(void)
{
    pthread_mutex_lock(&lock);
    entries--;
    pthread_mutex_unlock(&lock);
}

static void insert(void)
{
    pthread_mutex_lock(&lock);
    if (entries == CAPACITY)
        evict();
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
