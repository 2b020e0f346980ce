/* Queue lock: spin on the node of the thread in front. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

struct waiter {
    volatile int busy;
};

struct qlock {
    struct waiter *volatile last;
};

static struct qlock q;
static int a_sum, b_sum;

static void q_enter(struct qlock *l, struct waiter *me)
{
    struct waiter *front;

    me->busy = 1;
    front = __atomic_exchange_n(&l->last, me, __ATOMIC_SEQ_CST);
    if (front != NULL)
        while (front->busy)
            sched_yield();
}

static void q_leave(struct qlock *l, struct waiter *me)
{
    if (__sync_bool_compare_and_swap(&l->last, me, NULL))
        return;
    me->busy = 0;
    __sync_synchronize();
}

static struct waiter nodes[2];

static void *job(void *arg)
{
    int id = (int)(long)arg;
    int i;

    for (i = 1; i <= 3; i++) {
        q_enter(&q, &nodes[id]);
        a_sum += i;
        b_sum -= i;
        assert(a_sum + b_sum == 0);
        q_leave(&q, &nodes[id]);
        usleep(300 + 200 * id);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    long i;

    for (i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, job, (void *)i);
    for (i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(a_sum == 12);
    printf("%d %d\n", a_sum, b_sum);
    return 0;
}
