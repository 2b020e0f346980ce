#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int data[2] = { 6, 7 };
static int *_Atomic table;
static atomic_int state;

static void *loader(void *arg)
{
    atomic_store(&state, 1);
    atomic_store(&table, data);
    return 0;
}

static void *user(void *arg)
{
    while (!atomic_load(&state))
        ;
    int *t = atomic_load(&table);
    int v = t[0];
    assert(v == 6);
    return 0;
}

int main(void)
{
    pthread_t l, u;
    pthread_create(&u, 0, user, 0);
    pthread_create(&l, 0, loader, 0);
    pthread_join(l, 0);
    pthread_join(u, 0);
    return 0;
}
