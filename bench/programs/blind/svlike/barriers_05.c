#include <assert.h>
#include <pthread.h>

void reach_error(void) { assert(0); }

#define N 2

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int waiting, generation;
static volatile int cell[N];

static void meet(void)
{
    pthread_mutex_lock(&m);
    int g = generation;
    if (++waiting == N) {
        waiting = 0;
        generation++;
        pthread_cond_broadcast(&c);
    } else {
        while (g == generation)
            pthread_cond_wait(&c, &m);
    }
    pthread_mutex_unlock(&m);
}

static void *member(void *arg)
{
    int id = (int)(long)arg;
    for (int r = 1; r <= 2; r++) {
        cell[id] = r;
        meet();
        if (cell[1 - id] != r)
            reach_error();
    }
    return 0;
}

int main(void)
{
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], 0, member, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    return 0;
}
