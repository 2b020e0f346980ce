/* The owner frees what its thread uses, and joins the thread later. */
#include <pthread.h>
#include <stdlib.h>

struct meter {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    int *samples;
    int is_done;
    int last;
};

static void *measure(void *arg)
{
    struct meter *m = arg;

    pthread_mutex_lock(&m->lock);
    m->samples[0] = 3;
    m->is_done = 1;
    pthread_cond_signal(&m->changed);
    pthread_mutex_unlock(&m->lock);
    m->last = m->samples[0];
    return NULL;
}

static void meter_close(struct meter *m)
{
    pthread_mutex_lock(&m->lock);
    while (!m->is_done)
        pthread_cond_wait(&m->changed, &m->lock);
    pthread_mutex_unlock(&m->lock);
    free(m->samples);
    pthread_join(m->thread, NULL);
}

int main(void)
{
    struct meter m = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

    m.samples = calloc(2, sizeof *m.samples);
    pthread_create(&m.thread, NULL, measure, &m);
    meter_close(&m);
    return m.last == 3 ? 0 : 1;
}
