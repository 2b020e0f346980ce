#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

struct latch {
    pthread_mutex_t m;
    pthread_cond_t  c;
    atomic_int      open;
};

static struct latch latch = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0
};
static int payload;

static void latch_open(struct latch *l)
{
    atomic_store(&l->open, 1);
    pthread_cond_broadcast(&l->c);
}

static void latch_await(struct latch *l)
{
    if (atomic_load(&l->open))
        return;
    pthread_mutex_lock(&l->m);
    while (!atomic_load(&l->open))
        pthread_cond_wait(&l->c, &l->m);
    pthread_mutex_unlock(&l->m);
}

static void *opener(void *arg)
{
    (void)arg;
    usleep(3000);               /* takes a while */
    payload = 99;
    latch_open(&latch);
    return NULL;
}

static void *visitor(void *arg)
{
    (void)arg;
    latch_await(&latch);
    assert(payload == 99);
    return NULL;
}

int main(void)
{
    pthread_t o, v[2];

    pthread_create(&v[0], NULL, visitor, NULL);
    pthread_create(&v[1], NULL, visitor, NULL);
    pthread_create(&o, NULL, opener, NULL);
    pthread_join(o, NULL);
    pthread_join(v[0], NULL);
    pthread_join(v[1], NULL);
    printf("payload %d\n", payload);
    return 0;
}
