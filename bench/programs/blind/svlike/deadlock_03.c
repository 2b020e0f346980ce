#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int verbose;
static int events, lines;

static void log_event(void)
{
    pthread_mutex_lock(&m);
    lines++;
    pthread_mutex_unlock(&m);
}

static void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    events++;
    if (verbose)
        log_event();
    pthread_mutex_unlock(&m);
    return 0;
}

static void *configurator(void *arg)
{
    log_event();
    verbose = 1;
    return 0;
}

int main(void)
{
    pthread_t w, c;
    pthread_create(&w, 0, worker, 0);
    pthread_create(&c, 0, configurator, 0);
    pthread_join(w, 0);
    pthread_join(c, 0);
    return 0;
}
