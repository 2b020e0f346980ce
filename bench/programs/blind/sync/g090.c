#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>

#define BOATS 2

static atomic_int free_boats = BOATS;
static atomic_int trips;
static atomic_int afloat;

static void rent(atomic_int *sem)
{
    int v;

    for (;;) {
        v = atomic_load(sem);
        if (v > 0 && atomic_compare_exchange_weak(sem, &v, v - 1))
            return;
    }
}

static void give_back(atomic_int *sem)
{
    atomic_fetch_add(sem, 1);
}

static void *tourist(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2; i++) {
        rent(&free_boats);
        int out = atomic_fetch_add(&afloat, 1) + 1;
        assert(out <= BOATS);
        atomic_fetch_add(&trips, 1);
        atomic_fetch_sub(&afloat, 1);
        give_back(&free_boats);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, tourist, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(trips == 6 && free_boats == BOATS);
    return 0;
}
