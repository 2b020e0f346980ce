// The printer waits for a signal that a page is ready, without asking whether one already is. If the signal comes
// first, nobody hears it.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t page_ready = PTHREAD_COND_INITIALIZER;
static int pages;

static void *printer(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&page_ready, &lock);
    pages--;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *editor(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    pages++;
    pthread_cond_signal(&page_ready);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t consumer, producer;

    pthread_create(&consumer, NULL, printer, NULL);
    pthread_create(&producer, NULL, editor, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    return pages;
}
