// A server counts requests under a lock, and its status page reads the count without it. Nothing fails visibly, but
// the two accesses race.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int requests;

static void *server(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    requests++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *status_page(void *arg)
{
    int *shown = arg;

    *shown = requests;
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    int shown = 0;

    pthread_create(&first, NULL, server, NULL);
    pthread_create(&second, NULL, status_page, &shown);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return shown > requests;
}
