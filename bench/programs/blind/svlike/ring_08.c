#include <assert.h>
#include <pthread.h>

#define N 3
#define ROUNDS 2

static volatile int token;
static volatile int steps;

static void *node(void *arg)
{
    int id = (int)(long)arg;
    for (int r = 0; r < ROUNDS; r++) {
        while (token != id)
            ;
        assert(steps == r * N + id);
        steps = steps + 1;
        token = (id + 1) % N;
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
    assert(steps == N * ROUNDS);
    return 0;
}
