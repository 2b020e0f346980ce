#include <pthread.h>
#include <stdatomic.h>

enum { SLOTS = 3, NIL = -1 };

/* nodes are named by index instead of by pointer */
static atomic_int last = NIL;
static atomic_int succ[SLOTS];
static atomic_int spin[SLOTS];

static void lock_as(int me)
{
    atomic_store(&succ[me], NIL);
    int prev = atomic_exchange(&last, me);
    if (prev == NIL)
        return;
    atomic_store(&succ[prev], me);
    atomic_store(&spin[me], 1);
    while (atomic_load(&spin[me]) == 1)
        ;
}

static void unlock_as(int me)
{
    int self = me;

    if (atomic_load(&succ[me]) == NIL) {
        if (atomic_compare_exchange_strong(&last, &self, NIL))
            return;
        while (atomic_load(&succ[me]) == NIL)
            ;
    }
    atomic_store(&spin[atomic_load(&succ[me])], 0);
}

int account[2] = { 50, 50 };

static void *clerk(void *arg)
{
    int me = (int)(long)arg;

    lock_as(me);
    account[0] -= me + 1;
    account[1] += me + 1;
    unlock_as(me);
    return NULL;
}

int main(void)
{
    pthread_t t[2];

    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, clerk, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
