/* Dissemination barrier; flags hold the episode number. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define NPROC    3
#define MAXSTEP  2
#define EPISODES 2

typedef struct {
    volatile int flag[MAXSTEP];
} mailbox;

static mailbox box[NPROC];
static volatile int row[NPROC];

static void barrier(int self, int episode)
{
    int step = 0;
    int dist = 1;

    while (2 * dist <= NPROC) {
        box[(self + dist) % NPROC].flag[step] = episode;
        while (box[self].flag[step] < episode)
            usleep(10);
        step++;
        dist *= 2;
    }
}

static void *proc(void *arg)
{
    int self = *(int *)arg;
    int e, i, ok;

    for (e = 1; e <= EPISODES; e++) {
        row[self] = e;
        barrier(self, e);
        usleep(25000);
        ok = 1;
        for (i = 0; i < NPROC; i++)
            if (row[i] < e)
                ok = 0;
        assert(ok);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[NPROC];
    int id[NPROC];
    int i;

    for (i = 0; i < NPROC; i++) {
        id[i] = i;
        pthread_create(&t[i], NULL, proc, &id[i]);
    }
    for (i = 0; i < NPROC; i++)
        pthread_join(t[i], NULL);
    printf("%d episodes\n", EPISODES);
    return 0;
}
