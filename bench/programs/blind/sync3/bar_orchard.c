#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#define PICKERS 3
#define ROWS 3

static unsigned tally;
static int basket[ROWS][PICKERS];

static void *picker(void *arg)
{
    int me = (int)(long)arg;
    for (int row = 0; row < ROWS; row++) {
        basket[row][me] = me + 1;

        unsigned mine = __sync_fetch_and_add(&tally, 1);
        unsigned goal = (mine / PICKERS + 1) * PICKERS;
        while (__atomic_load_n(&tally, __ATOMIC_SEQ_CST) < goal)
            sched_yield();

        int sum = 0;
        for (int i = 0; i < PICKERS; i++)
            sum += basket[row][i];
        assert(sum == 6);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[PICKERS];
    for (long i = 0; i < PICKERS; i++)
        pthread_create(&t[i], NULL, picker, (void *)i);
    for (int i = 0; i < PICKERS; i++)
        pthread_join(t[i], NULL);
    printf("%u\n", tally);
    return 0;
}
