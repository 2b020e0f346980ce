// An image cache counts the users of its image. The count drops to zero and the image leaves the cache in one
// critical section, so that a lookup finds a used image or none.
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
    pthread_mutex_lock(&lock);
    int last = atomic_fetch_sub(&i->users, 1) == 1;
    if (last)
        cached = NULL;
    pthread_mutex_unlock(&lock);
    if (last)
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
