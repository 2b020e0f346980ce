// Workers set, use and clear a shared buffer. The user tests the pointer in one critical section and uses it in the
// next one; a worker that clears the buffer in between takes it away.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char storage[4];
static char *buffer;

static void *setter(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    buffer = storage;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *clearer(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    buffer = NULL;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *user(void *arg)
{
    bool ready;

    (void)arg;
    pthread_mutex_lock(&lock);
    ready = buffer != NULL;
    pthread_mutex_unlock(&lock);
    if (!ready)
        return NULL;

    pthread_mutex_lock(&lock);
    assert(buffer != NULL);
    buffer[0] = 'x';
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t workers[3];

    pthread_create(&workers[0], NULL, setter, NULL);
    pthread_create(&workers[1], NULL, user, NULL);
    pthread_create(&workers[2], NULL, clearer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(workers[i], NULL);
    return 0;
}
