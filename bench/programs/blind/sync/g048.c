#include <pthread.h>
#include <stdlib.h>

struct fair {
    pthread_mutex_t m;
    pthread_cond_t  moved;
    unsigned        next, current;
};

static struct fair fl = {
    .m = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER
};
static int written;
static int disk[3];

static void fair_lock(struct fair *f)
{
    pthread_mutex_lock(&f->m);
    unsigned me = f->next++;
    while (f->current != me)
        pthread_cond_wait(&f->moved, &f->m);
    pthread_mutex_unlock(&f->m);
}

static void fair_unlock(struct fair *f)
{
    pthread_mutex_lock(&f->m);
    f->current++;
    pthread_cond_broadcast(&f->moved);
    pthread_mutex_unlock(&f->m);
}

static void *flusher(void *arg)
{
    int v = *(int *)arg;

    fair_lock(&fl);
    disk[written] = v;
    written++;
    fair_unlock(&fl);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int v[3] = { 1, 2, 4 };

    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, flusher, &v[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    if (disk[0] + disk[1] + disk[2] != 7)
        abort();
    return 0;
}
