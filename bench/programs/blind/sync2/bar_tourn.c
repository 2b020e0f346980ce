/* Tournament barrier for a power-of-two number of threads. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#define N      4
#define EPOCHS 3

static int lost[N];          /* epoch in which thread i lost its match */
static int released;         /* epoch published by the champion        */
static int board[EPOCHS + 1][N];

#define GET(x)    __atomic_load_n(&(x), __ATOMIC_SEQ_CST)
#define PUT(x, v) __atomic_store_n(&(x), (v), __ATOMIC_SEQ_CST)

static void tournament(int id, int epoch)
{
    int step;

    for (step = 1; step < N; step <<= 1) {
        if (id & step) {
            PUT(lost[id], epoch);
            for (;;) {
                if (GET(released) >= epoch)
                    break;
                sched_yield();
            }
            return;
        }
        while (GET(lost[id + step]) < epoch)
            sched_yield();
    }
    PUT(released, epoch);
}

static void *player(void *arg)
{
    int id = (int)(long)arg;
    int e, j, sum;

    for (e = 1; e <= EPOCHS; e++) {
        board[e][id] = e + id;
        tournament(id, e);
        sum = 0;
        for (j = 0; j < N; j++)
            sum += board[e][j];
        assert(sum == N * e + 6);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[N];
    long i;

    for (i = 0; i < N; i++)
        if (pthread_create(&t[i], NULL, player, (void *)i) != 0)
            return 1;
    for (i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    printf("epoch %d\n", released);
    return 0;
}
