// stop() holds the service's lock while it joins the worker. A worker that still has to report needs that lock.
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct service {
    pthread_mutex_t lock;
    bool stopping;
    int reports;
    pthread_t worker;
};

static struct service service = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *work(void *arg)
{
    struct service *s = arg;

    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&s->lock);
        bool stopping = s->stopping;
        if (!stopping)
            s->reports++;
        pthread_mutex_unlock(&s->lock);
        if (stopping)
            break;
    }
    return NULL;
}

static void stop(struct service *s)
{
    pthread_mutex_lock(&s->lock);
    s->stopping = true;
    pthread_join(s->worker, NULL);
    pthread_mutex_unlock(&s->lock);
}

int main(void)
{
    pthread_create(&service.worker, NULL, work, &service);
    stop(&service);
    return service.reports > 2;
}
