// An image cache counts the users of its image. The last user finds the count at zero and only then locks the cache
// to remove the image; a lookup in between takes a new reference to an image that is about to be freed.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct image {
    atomic_int users;
    int width;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct image *cached;

static struct image *lookup(void)
{
    pthread_mutex_lock(&lock);
    struct image *i = cached;
    if (i)
        atomic_fetch_add(&i->users, 1);
    pthread_mutex_unlock(&lock);
    return i;
}

static void drop(struct image *i)
{
    if (atomic_fetch_sub(&i->users, 1) != 1)
        return;
    pthread_mutex_lock(&lock);
    cached = NULL;
    pthread_mutex_unlock(&lock);
    free(i);
}

static void *viewer(void *arg)
{
    (void)arg;
    struct image *i = lookup();
    if (i) {
        i->width = 640;
        drop(i);
    }
    return NULL;
}

int main(void)
{
    pthread_t other;
    struct image *first = malloc(sizeof *first);

    atomic_init(&first->users, 1);
    first->width = 320;
    cached = first;
    pthread_create(&other, NULL, viewer, NULL);
    drop(first);
    pthread_join(other, NULL);
    return 0;
}
