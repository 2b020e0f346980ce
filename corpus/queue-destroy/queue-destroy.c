// A block compressor. Main takes the queue down as soon as all blocks have been taken, although the worker comes back
// to the queue once more to learn that it is empty.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct fifo {
    pthread_mutex_t *mut;
    pthread_cond_t drained;
    int blocks;
    int compressed;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct fifo fifo = {&mutex, PTHREAD_COND_INITIALIZER, 1, 0};

static void fifo_drain(struct fifo *f)
{
    pthread_mutex_lock(f->mut);
    while (f->blocks > 0)
        pthread_cond_wait(&f->drained, f->mut);
    pthread_mutex_unlock(f->mut);
}

static void fifo_delete(struct fifo *f)
{
    f->mut = NULL;
}

static void *worker(void *arg)
{
    struct fifo *f = arg;

    for (;;) {
        pthread_mutex_t *mut = f->mut;
        assert(mut != NULL);
        pthread_mutex_lock(mut);
        int left = f->blocks;
        if (left > 0) {
            f->compressed++;
            f->blocks--;
            pthread_cond_signal(&f->drained);
        }
        pthread_mutex_unlock(mut);
        if (left == 0)
            return NULL;
    }
}

int main(void)
{
    pthread_t compressor;

    pthread_create(&compressor, NULL, worker, &fifo);
    fifo_drain(&fifo);
    fifo_delete(&fifo);
    pthread_join(compressor, NULL);
    return fifo.compressed != 1;
}
