#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <assert.h>

typedef struct qnode {
    _Atomic(struct qnode *) next;
    atomic_bool             wait;
} qnode;

typedef _Atomic(qnode *) qlock;

static void qlock_acquire(qlock *l, qnode *me)
{
    qnode *pred;

    atomic_store(&me->next, NULL);
    atomic_store(&me->wait, true);
    pred = atomic_exchange(l, me);
    if (pred) {
        atomic_store(&pred->next, me);
        while (atomic_load(&me->wait))
            ;
    }
}

static void qlock_release(qlock *l, qnode *me)
{
    qnode *succ = atomic_load(&me->next);

    if (!succ) {
        qnode *expect = me;

        if (atomic_compare_exchange_strong(l, &expect, NULL))
            return;
        while (!(succ = atomic_load(&me->next)))
            ;
    }
    atomic_store(&succ->wait, false);
}

static qlock lock;
static int total, hits;

static void *adder(void *arg)
{
    int v = (int)(long)arg;
    qnode me;

    for (int i = 0; i < 2; i++) {
        qlock_acquire(&lock, &me);
        total += v;
        hits++;
        qlock_release(&lock, &me);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];

    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, adder, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(total == 12 && hits == 6);
    return 0;
}
