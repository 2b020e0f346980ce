#include <assert.h>
#include <pthread.h>

void reach_error(void) { assert(0); }

#define N 3
#define ROUNDS 2

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static int turn, trace;

static void *node(void *arg)
{
    int id = (int)(long)arg;
    for (int r = 0; r < ROUNDS; r++) {
        pthread_mutex_lock(&m);
        while (turn != id)
            pthread_cond_wait(&moved, &m);
        trace = trace * 3 + id;
        turn = (turn + 1) % N;
        pthread_cond_broadcast(&moved);
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], 0, node, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    /* 0,1,2,0,1,2 in base three */
    if (trace != 5 * 27 + 5)
        reach_error();
    return 0;
}
