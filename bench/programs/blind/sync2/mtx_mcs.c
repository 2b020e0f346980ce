/* Queue lock after Mellor-Crummey and Scott. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>

struct qnode {
    struct qnode *next;
    int           blocked;
};

struct qlock {
    struct qnode *tail;
};

#define LD(p)      __atomic_load_n((p), __ATOMIC_SEQ_CST)
#define ST(p, v)   __atomic_store_n((p), (v), __ATOMIC_SEQ_CST)

static void q_lock(struct qlock *l, struct qnode *me)
{
    struct qnode *pred;

    ST(&me->next, NULL);
    ST(&me->blocked, 1);
    pred = __atomic_exchange_n(&l->tail, me, __ATOMIC_SEQ_CST);
    if (pred == NULL)
        return;
    ST(&pred->next, me);
    while (LD(&me->blocked))
        sched_yield();
}

static void q_unlock(struct qlock *l, struct qnode *me)
{
    struct qnode *succ = LD(&me->next);

    if (succ == NULL) {
        struct qnode *expect = me;
        if (__atomic_compare_exchange_n(&l->tail, &expect, NULL, 0,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            return;
        while ((succ = LD(&me->next)) == NULL)
            sched_yield();
    }
    ST(&succ->blocked, 0);
}

static struct qlock lock;
static int low = 0, high = 100;

static void *squeeze(void *arg)
{
    struct qnode node;
    int i;

    (void)arg;
    for (i = 0; i < 3; i++) {
        q_lock(&lock, &node);
        low++;
        high--;
        assert(low + high == 100);
        q_unlock(&lock, &node);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[4];
    int i;

    for (i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, squeeze, NULL);
    for (i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    assert(low == 12 && high == 88);
    printf("%d..%d\n", low, high);
    return 0;
}
