// The printer waits only while no page is ready. A signal that nobody hears is no loss: the page count remembers it.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t page_ready = PTHREAD_COND_INITIALIZER;
static int pages;

static void *printer(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    while (pages == 0)
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
