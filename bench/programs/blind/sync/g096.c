#include <pthread.h>
#include <stdlib.h>

typedef struct {
    pthread_mutex_t m;
    pthread_cond_t  all_here;
    int parties, waiting;
    unsigned cycle;
} cyclic_t;

static void cyclic_init(cyclic_t *c, int parties)
{
    pthread_mutex_init(&c->m, NULL);
    pthread_cond_init(&c->all_here, NULL);
    c->parties = parties;
    c->waiting = 0;
    c->cycle = 0;
}

static void cyclic_await(cyclic_t *c)
{
    pthread_mutex_lock(&c->m);
    unsigned my_cycle = c->cycle;
    if (++c->waiting == c->parties) {
        c->waiting = 0;
        c->cycle++;
        pthread_cond_broadcast(&c->all_here);
    } else {
        while (my_cycle == c->cycle)
            pthread_cond_wait(&c->all_here, &c->m);
    }
    pthread_mutex_unlock(&c->m);
}

static cyclic_t bar;
static int frame[3], shown[3];

static void *render(void *arg)
{
    int row = *(int *)arg;

    for (int f = 1; f <= 2; f++) {
        frame[row] = f;
        cyclic_await(&bar);
        shown[row] += frame[0] + frame[1] + frame[2];
        cyclic_await(&bar);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int rows[3] = { 0, 1, 2 };

    cyclic_init(&bar, 3);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, render, &rows[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < 3; i++)
        if (shown[i] != 9)
            abort();
    return 0;
}
