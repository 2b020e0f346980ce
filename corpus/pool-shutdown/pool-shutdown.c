// A pool's worker looks whether the pool is closing before it takes the lock to wait for a task. If the pool closes
// in between, the broadcast is over when the worker falls asleep, and main joins it for ever.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static atomic_bool closing;
static int tasks = 1;
static int finished;

static void *worker(void *arg)
{
    (void)arg;
    for (;;) {
        if (closing)
            return NULL;
        pthread_mutex_lock(&lock);
        if (tasks == 0)
            pthread_cond_wait(&work, &lock);
        if (tasks > 0) {
            tasks--;
            finished++;
        }
        pthread_mutex_unlock(&lock);
    }
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    closing = true;
    pthread_cond_broadcast(&work);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return finished > 1;
}
