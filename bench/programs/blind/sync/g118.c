#include <pthread.h>
#include <stdlib.h>

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t  cond;
    int             fired;
} signal_t;

static signal_t sig = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };
static int payload;
static int got[2];

static void signal_fire(signal_t *s)
{
    pthread_mutex_lock(&s->lock);
    s->fired = 1;
    pthread_cond_broadcast(&s->cond);
    pthread_mutex_unlock(&s->lock);
}

static void signal_wait(signal_t *s)
{
    pthread_mutex_lock(&s->lock);
    while (!s->fired)
        pthread_cond_wait(&s->cond, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

static void *listener(void *arg)
{
    int *slot = arg;

    signal_wait(&sig);
    *slot = payload;
    return NULL;
}

static void *announcer(void *arg)
{
    (void)arg;
    payload = 99;
    signal_fire(&sig);
    return NULL;
}

int main(void)
{
    pthread_t t[3];

    pthread_create(&t[0], NULL, listener, &got[0]);
    pthread_create(&t[1], NULL, listener, &got[1]);
    pthread_create(&t[2], NULL, announcer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    if (got[0] != 99 || got[1] != 99)
        abort();
    return 0;
}
