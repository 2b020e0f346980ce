#include <assert.h>
#include <pthread.h>

struct lantern {
    pthread_mutex_t mu;
    pthread_cond_t glow;
    int lit;
};

static struct lantern lamp = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };
static int oil;

static void lantern_light(struct lantern *l)
{
    pthread_mutex_lock(&l->mu);
    l->lit = 1;
    pthread_mutex_unlock(&l->mu);
    pthread_cond_broadcast(&l->glow);
}

static void lantern_await(struct lantern *l)
{
    pthread_mutex_lock(&l->mu);
    while (!l->lit)
        pthread_cond_wait(&l->glow, &l->mu);
    pthread_mutex_unlock(&l->mu);
}

static void *keeper(void *unused)
{
    (void)unused;
    oil = 42;
    lantern_light(&lamp);
    return 0;
}

static void *watcher(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        lantern_await(&lamp);
        assert(oil == 42);
    }
    return 0;
}

int main(void)
{
    pthread_t k, w1, w2;
    pthread_create(&w1, 0, watcher, 0);
    pthread_create(&k, 0, keeper, 0);
    pthread_create(&w2, 0, watcher, 0);
    pthread_join(k, 0);
    pthread_join(w1, 0);
    pthread_join(w2, 0);
    return 0;
}
