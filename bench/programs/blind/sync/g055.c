#include <pthread.h>

typedef struct {
    pthread_mutex_t mx;
    pthread_cond_t  cv;
    int             stock;
} store_t;

static store_t st = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 2 };
int used[4];

static void store_take(store_t *s)
{
    pthread_mutex_lock(&s->mx);
    while (s->stock == 0)
        pthread_cond_wait(&s->cv, &s->mx);
    s->stock--;
    pthread_mutex_unlock(&s->mx);
}

static void store_put(store_t *s)
{
    pthread_mutex_lock(&s->mx);
    if (s->stock++ == 0)         /* only now can anybody be waiting */
        pthread_cond_signal(&s->cv);
    pthread_mutex_unlock(&s->mx);
}

static void *worker(void *arg)
{
    int id = (int)(long)arg;

    store_take(&st);
    used[id]++;
    store_put(&st);
    return NULL;
}

int main(void)
{
    pthread_t t[4];

    for (long i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
