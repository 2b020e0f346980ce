// A parallel file scanner. A worker waits until a path is queued, releases the queue, and takes the path in a second
// critical section: two workers can have seen the same path.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define PATHS 2
#define WORKERS 2

struct path_queue {
    pthread_mutex_t lock;
    pthread_cond_t more;
    int filled;
    bool closed;
    const char *paths[PATHS];
};

static struct path_queue queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER};

static const char *take_path(struct path_queue *q)
{
    const char *path = NULL;

    pthread_mutex_lock(&q->lock);
    while (q->filled == 0 && !q->closed)
        pthread_cond_wait(&q->more, &q->lock);
    bool found = q->filled > 0;
    pthread_mutex_unlock(&q->lock);
    if (!found)
        return NULL;

    pthread_mutex_lock(&q->lock);
    assert(q->filled > 0);
    path = q->paths[--q->filled];
    pthread_mutex_unlock(&q->lock);
    return path;
}

static void *worker(void *arg)
{
    int *scanned = arg;

    while (take_path(&queue))
        ++*scanned;
    return NULL;
}

static void walk(struct path_queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->paths[q->filled++] = "src/main.c";
    pthread_cond_signal(&q->more);
    pthread_mutex_unlock(&q->lock);

    pthread_mutex_lock(&q->lock);
    q->closed = true;
    pthread_cond_broadcast(&q->more);
    pthread_mutex_unlock(&q->lock);
}

int main(void)
{
    pthread_t workers[WORKERS];
    int scanned[WORKERS] = {0};

    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, worker, &scanned[i]);
    walk(&queue);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    return scanned[0] + scanned[1] != 1;
}
