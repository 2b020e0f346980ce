#include <pthread.h>
#include <stdlib.h>

struct shared_lock {
    pthread_mutex_t m;
    pthread_cond_t  c;
    int readers;
    int writing;
};

static struct shared_lock sl = {
    .m = PTHREAD_MUTEX_INITIALIZER, .c = PTHREAD_COND_INITIALIZER
};
static int rows, cols, cells;

static void sl_shared(struct shared_lock *l)
{
    pthread_mutex_lock(&l->m);
    while (l->writing)
        pthread_cond_wait(&l->c, &l->m);
    l->readers++;
    pthread_mutex_unlock(&l->m);
}

static void sl_unshared(struct shared_lock *l)
{
    pthread_mutex_lock(&l->m);
    if (--l->readers == 0)
        pthread_cond_broadcast(&l->c);
    pthread_mutex_unlock(&l->m);
}

static void sl_exclusive(struct shared_lock *l)
{
    pthread_mutex_lock(&l->m);
    while (l->writing || l->readers > 0)
        pthread_cond_wait(&l->c, &l->m);
    l->writing = 1;
    pthread_mutex_unlock(&l->m);
}

static void sl_unexclusive(struct shared_lock *l)
{
    pthread_mutex_lock(&l->m);
    l->writing = 0;
    pthread_cond_broadcast(&l->c);
    pthread_mutex_unlock(&l->m);
}

static void *grow(void *arg)
{
    (void)arg;
    sl_exclusive(&sl);
    rows++;
    cols++;
    cells = rows * cols;
    sl_unexclusive(&sl);
    return NULL;
}

static void *look(void *arg)
{
    int ok;

    (void)arg;
    sl_shared(&sl);
    ok = cells == rows * cols;
    sl_unshared(&sl);
    if (!ok)
        abort();
    return NULL;
}

int main(void)
{
    pthread_t t[3];

    pthread_create(&t[0], NULL, look, NULL);
    pthread_create(&t[1], NULL, grow, NULL);
    pthread_create(&t[2], NULL, grow, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return cells == 4 ? 0 : 1;
}
