/* The atlas is drawn where it is missing. Whether it is missing is not asked again when the lock is there. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int drawn;
static int pages;

static void *open_atlas(void *arg)
{
    if (drawn == 0) {
        pthread_mutex_lock(&lock);
        pages += 8;
        drawn = 1;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, open_atlas, NULL);
    pthread_create(&b, NULL, open_atlas, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(pages == 8);
    return 0;
}
