#include <pthread.h>
#include <sched.h>

enum { WIDTH = 2 };

struct throttle {
    volatile long started;
    volatile long finished;
};

static struct throttle th;
int copies[3];

static void throttle_begin(struct throttle *t)
{
    long n = __sync_fetch_and_add(&t->started, 1);

    while (n > t->finished + WIDTH)
        sched_yield();
}

static void throttle_end(struct throttle *t)
{
    __sync_fetch_and_add(&t->finished, 1);
}

static void *copier(void *arg)
{
    int *c = arg;

    for (int i = 0; i < 2; i++) {
        throttle_begin(&th);
        *c += 1;
        throttle_end(&th);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, copier, &copies[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
