#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

struct two_lock {
    int flag[2];
    int turn;
};

static struct two_lock L;
static int shared_sum;

#define RD(x)    __atomic_load_n(&(x), __ATOMIC_SEQ_CST)
#define WR(x, v) __atomic_store_n(&(x), v, __ATOMIC_SEQ_CST)

static void lock2(struct two_lock *l, int me)
{
    int you = !me;

    WR(l->turn, you);
    WR(l->flag[me], 1);
    while (RD(l->flag[you]) && RD(l->turn) == you)
        sched_yield();
}

static void unlock2(struct two_lock *l, int me)
{
    WR(l->flag[me], 0);
}

static void *adder(void *arg)
{
    int me = (int)(long)arg;
    int i, tmp;

    for (i = 1; i <= 3; i++) {
        lock2(&L, me);
        tmp = RD(shared_sum);
        tmp += i;
        WR(shared_sum, tmp);
        unlock2(&L, me);
        usleep(150 + 100 * me);
    }
    return NULL;
}

int main(void)
{
    pthread_t t0, t1;

    pthread_create(&t0, NULL, adder, (void *)0L);
    pthread_create(&t1, NULL, adder, (void *)1L);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    assert(shared_sum == 12);
    printf("sum %d\n", shared_sum);
    return 0;
}
