#include <pthread.h>
#include <assert.h>

typedef struct {
    pthread_mutex_t m;
    pthread_cond_t  changed;
    int             has;
    int             item;
} cell_t;

static cell_t cell = {
    .m = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER
};
static int sum[2];

static void cell_put(cell_t *c, int item)
{
    pthread_mutex_lock(&c->m);
    while (c->has)
        pthread_cond_wait(&c->changed, &c->m);
    c->item = item;
    c->has = 1;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->m);
}

static int cell_get(cell_t *c)
{
    int item;

    pthread_mutex_lock(&c->m);
    while (!c->has)
        pthread_cond_wait(&c->changed, &c->m);
    item = c->item;
    c->has = 0;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->m);
    return item;
}

static void *source(void *arg)
{
    int n = *(int *)arg;

    for (int i = 1; i <= n; i++)
        cell_put(&cell, i);
    return NULL;
}

static void *sink(void *arg)
{
    int *acc = arg;

    for (int i = 0; i < 2; i++)
        *acc += cell_get(&cell);
    return NULL;
}

int main(void)
{
    pthread_t p, c1, c2;
    int n = 4;

    pthread_create(&c1, NULL, sink, &sum[0]);
    pthread_create(&c2, NULL, sink, &sum[1]);
    pthread_create(&p, NULL, source, &n);
    pthread_join(p, NULL);
    pthread_join(c1, NULL);
    pthread_join(c2, NULL);
    assert(sum[0] + sum[1] == 10);
    return 0;
}
