#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define N 3
#define ROUNDS 2

static atomic_int count = N;
static atomic_int sense;
static volatile int step[N];

static void meet(int *local)
{
    *local = !*local;
    if (atomic_fetch_sub(&count, 1) == 1) {
        atomic_store(&count, N);
        atomic_store(&sense, *local);
    } else {
        while (atomic_load(&sense) != *local)
            ;
    }
}

static void *party(void *arg)
{
    int id = (int)(long)arg;
    int local = 0;
    for (int r = 1; r <= ROUNDS; r++) {
        step[id] = r;
        meet(&local);
        for (int j = 0; j < N; j++)
            assert(step[j] >= r);
    }
    return 0;
}

int main(void)
{
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], 0, party, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    return 0;
}
