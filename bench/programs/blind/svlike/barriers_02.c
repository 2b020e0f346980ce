#include <pthread.h>
#include <stdatomic.h>

#define N 2

static atomic_int count;

static void meet(void)
{
    int n = atomic_fetch_add(&count, 1) + 1;
    if (n == N) {
        atomic_store(&count, 0);
        return;
    }
    while (atomic_load(&count) != 0)
        ;
}

static void *party(void *arg)
{
    meet();
    meet();
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
