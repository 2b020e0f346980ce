/* Linear gather: thread 0 collects everybody and then says go. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#define NT     3
#define STEPS  3

volatile int at[NT];
volatile int go;
int val[NT];
int copy[NT];

void meet(int me, int step)
{
    int i;

    if (me == 0) {
        for (i = 1; i < NT; i++)
            while (at[i] != step)
                sched_yield();
        go = step;
    } else {
        at[me] = step;
        while (go != step)
            sched_yield();
    }
}

void *body(void *p)
{
    int me = *(int *)p;
    int s, step = 0;

    for (s = 0; s < STEPS; s++) {
        copy[me] = val[(me + 1) % NT];
        meet(me, ++step);
        val[me] = copy[me];
        meet(me, ++step);
    }
    return 0;
}

int main(void)
{
    pthread_t t[NT];
    int id[NT], i;

    for (i = 0; i < NT; i++) {
        id[i] = i;
        val[i] = i * 10;
    }
    for (i = 0; i < NT; i++)
        pthread_create(&t[i], 0, body, &id[i]);
    for (i = 0; i < NT; i++)
        pthread_join(t[i], 0);
    for (i = 0; i < NT; i++)    /* rotated all the way round */
        assert(val[i] == i * 10);
    printf("%d %d %d\n", val[0], val[1], val[2]);
    return 0;
}
