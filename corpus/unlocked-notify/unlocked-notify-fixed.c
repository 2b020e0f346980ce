// The loader announces that it is done under the lock, so that main either sees `loaded` or is already asleep.
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static bool loaded;

static void *loader(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    loaded = true;
    pthread_cond_signal(&done);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, loader, NULL);
    pthread_mutex_lock(&lock);
    while (!loaded)
        pthread_cond_wait(&done, &lock);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
