// remove_job() returns early when there is no job, and forgets to release the lock on that path. It is only taken
// when the removals outrun the addition.
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
    if (jobs == 0)
        return false;
    jobs--;
    pthread_mutex_unlock(&lock);
    return true;
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
