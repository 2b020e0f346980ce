#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_bool flag[2];
static atomic_int  turn;
static int cells[2];

static void acquire(int me)
{
    const int other = me ^ 1;

    atomic_store(&flag[me], 1);
    while (atomic_load(&flag[other])) {
        if (atomic_load(&turn) == me)
            continue;
        atomic_store(&flag[me], 0);
        while (atomic_load(&turn) != me)
            sched_yield();
    }
}

static void release(int me)
{
    atomic_store(&turn, me ^ 1);
    atomic_store(&flag[me], 0);
}

static void *move(void *arg)
{
    int me = (int)(long)arg;
    int i;

    for (i = 0; i < 3; i++) {
        acquire(me);
        cells[0]++;
        assert(cells[0] == cells[1] + 1);
        cells[1]++;
        release(me);
        usleep(200);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    if (pthread_create(&a, NULL, move, (void *)0L))
        return 1;
    if (pthread_create(&b, NULL, move, (void *)1L))
        return 1;
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(cells[0] == 6 && cells[1] == 6);
    printf("%d %d\n", cells[0], cells[1]);
    return 0;
}
