#include <pthread.h>
#include <stdatomic.h>

#define N 2
#define ROUNDS 2

static atomic_int count = N;
static atomic_int sense;

static void meet(int *local)
{
    *local = !*local;
    if (atomic_fetch_sub(&count, 1) == 1) {
        atomic_store(&sense, *local);
        atomic_store(&count, N);
    } else {
        while (atomic_load(&sense) != *local)
            ;
    }
}

static void *party(void *arg)
{
    int local = 0;
    for (int r = 0; r < ROUNDS; r++)
        meet(&local);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, party, 0);
    pthread_create(&b, 0, party, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
