// A backup must not run while the database is being written. It tries to take the lock and ignores the answer; the
// error-checking mutex refuses its unlock later, but nobody looks at that either.
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock;
static int rows = 2, checksum = 2;

static void *insert(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    rows++;
    checksum++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *backup(void *arg)
{
    (void)arg;
    pthread_mutex_trylock(&lock);
    int copied = rows;
    int sum = checksum;
    pthread_mutex_unlock(&lock);
    assert(copied == sum);
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_t writer, saver;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    pthread_create(&writer, NULL, insert, NULL);
    pthread_create(&saver, NULL, backup, NULL);
    pthread_join(writer, NULL);
    pthread_join(saver, NULL);
    pthread_mutex_destroy(&lock);
    return 0;
}
