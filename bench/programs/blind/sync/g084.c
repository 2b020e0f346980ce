#include <pthread.h>
#include <stdatomic.h>
#include <sched.h>

#define N 3

static atomic_int entries, exits;
int page[N];
int copy[N];

static void turnstile(void)
{
    atomic_fetch_add(&entries, 1);
    while (atomic_load(&entries) < N)
        sched_yield();

    /* the last one out prepares the next use */
    if (atomic_fetch_add(&exits, 1) == N - 1) {
        atomic_store(&exits, 0);
        atomic_store(&entries, 0);
    }
}

static void *scribe(void *arg)
{
    int me = *(int *)arg;

    for (int r = 0; r < 2; r++) {
        page[me] = r * 10 + me;
        turnstile();
        copy[me] = page[(me + 1) % N];
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b, c;
    int id[N] = { 0, 1, 2 };

    pthread_create(&a, NULL, scribe, id);
    pthread_create(&b, NULL, scribe, id + 1);
    pthread_create(&c, NULL, scribe, id + 2);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
