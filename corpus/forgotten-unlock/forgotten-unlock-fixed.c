// remove_job() has one exit, which releases the lock.
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int jobs;

static void add_job(void)
{
    pthread_mutex_lock(&lock);
    jobs++;
    pthread_mutex_unlock(&lock);
}

static bool remove_job(void)
{
    pthread_mutex_lock(&lock);
    bool found = jobs > 0;
    if (found)
        jobs--;
    pthread_mutex_unlock(&lock);
    return found;
}

static void *producer(void *arg)
{
    (void)arg;
    add_job();
    return NULL;
}

static void *consumer(void *arg)
{
    (void)arg;
    remove_job();
    return NULL;
}

int main(void)
{
    pthread_t in, out;

    pthread_create(&in, NULL, producer, NULL);
    pthread_create(&out, NULL, consumer, NULL);
    pthread_join(in, NULL);
    pthread_join(out, NULL);
    return 0;
}
