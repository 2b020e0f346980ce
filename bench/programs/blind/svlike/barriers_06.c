#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define N 2
#define ROUNDS 2

static pthread_barrier_t bar;
static atomic_int serial;
static int part[N];

static void *worker(void *arg)
{
    int id = (int)(long)arg;
    for (int r = 0; r < ROUNDS; r++) {
        part[id] = part[id] + id + 1;
        if (pthread_barrier_wait(&bar) == PTHREAD_BARRIER_SERIAL_THREAD)
            atomic_fetch_add(&serial, 1);
        int sum = part[0] + part[1];
        pthread_barrier_wait(&bar);
        assert(sum == 3 * (r + 1));
    }
    return 0;
}

int main(void)
{
    pthread_t t[N];
    pthread_barrier_init(&bar, 0, N);
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], 0, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    assert(serial == ROUNDS);
    pthread_barrier_destroy(&bar);
    return 0;
}
