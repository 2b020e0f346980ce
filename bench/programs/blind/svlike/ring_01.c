#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

void reach_error(void) { assert(0); }

#define N 3

static atomic_int token;
static volatile int work;

static void *node(void *arg)
{
    int id = (int)(long)arg;
    while (atomic_load(&token) != id)
        ;
    atomic_store(&token, (id + 1) % N);
    work = work + 1;
    return 0;
}

int main(void)
{
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], 0, node, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    if (work != N)
        reach_error();
    return 0;
}
