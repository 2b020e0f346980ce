#include <assert.h>
#include <pthread.h>

#define N 3

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static int turn, visits;

static void *node(void *arg)
{
    int id = (int)(long)arg;
    pthread_mutex_lock(&m);
    while (turn != id)
        pthread_cond_wait(&moved, &m);
    assert(visits == id);
    visits++;
    turn = turn + 1;
    pthread_cond_signal(&moved);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], 0, node, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    return 0;
}
