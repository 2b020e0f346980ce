// A page is stored under one lock, then its successor's number under another. A reader that comes between the two
// stages sees a successor that does not follow.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t page_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t next_lock = PTHREAD_MUTEX_INITIALIZER;
static int page, next_page;

static void *turn(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&page_lock);
    page = 1;
    pthread_mutex_unlock(&page_lock);

    pthread_mutex_lock(&next_lock);
    next_page = page + 1;
    pthread_mutex_unlock(&next_lock);
    return NULL;
}

static void *read_both(void *arg)
{
    int current, next;

    (void)arg;
    pthread_mutex_lock(&page_lock);
    current = page;
    pthread_mutex_unlock(&page_lock);
    if (current == 0)
        return NULL;

    pthread_mutex_lock(&next_lock);
    next = next_page;
    pthread_mutex_unlock(&next_lock);
    assert(next == current + 1);
    return NULL;
}

int main(void)
{
    pthread_t writer, reader;

    pthread_create(&writer, NULL, turn, NULL);
    pthread_create(&reader, NULL, read_both, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return 0;
}
