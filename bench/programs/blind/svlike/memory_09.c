#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void reach_error(void) { assert(0); }

static int *_Atomic slot;
static atomic_int freed;

static void *claim(void *arg)
{
    int *p = atomic_exchange(&slot, NULL);
    if (p) {
        if (*p != 33)
            reach_error();
        free(p);
        atomic_fetch_add(&freed, 1);
    }
    return 0;
}

int main(void)
{
    pthread_t t[3];
    int *p = malloc(sizeof *p);
    if (!p)
        exit(0);
    *p = 33;
    atomic_store(&slot, p);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, claim, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    if (atomic_load(&freed) != 1)
        reach_error();
    return 0;
}
