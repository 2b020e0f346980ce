#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t  avail = PTHREAD_COND_INITIALIZER;
static int tokens;

static int consumed;

static void token_put(void)
{
    pthread_mutex_lock(&guard);
    if (tokens++ == 0)
        pthread_cond_signal(&avail);
    pthread_mutex_unlock(&guard);
}

static void token_get(void)
{
    pthread_mutex_lock(&guard);
    while (tokens == 0)
        pthread_cond_wait(&avail, &guard);
    tokens--;
    pthread_mutex_unlock(&guard);
}

static void *producer(void *arg)
{
    int i;

    for (i = 0; i < *(int *)arg; i++) {
        usleep(2500);
        token_put();
    }
    return NULL;
}

static void *consumer(void *arg)
{
    (void)arg;
    token_get();
    __sync_fetch_and_add(&consumed, 1);
    return NULL;
}

int main(void)
{
    pthread_t p, c[2];
    int n = 2;

    pthread_create(&c[0], NULL, consumer, NULL);
    pthread_create(&c[1], NULL, consumer, NULL);
    pthread_create(&p, NULL, producer, &n);
    pthread_join(p, NULL);
    pthread_join(c[0], NULL);
    pthread_join(c[1], NULL);
    assert(consumed == n && tokens == 0);
    printf("consumed %d\n", consumed);
    return 0;
}
