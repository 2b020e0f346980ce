/* Dissemination barrier, 4 threads, two signalling steps. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define P      4
#define LOGP   2
#define ROUNDS 3

struct local {
    int me;
    int parity;
    int sense;
};

static volatile int flags[P][2][LOGP];
static volatile int cell[P];

static void dissemination(struct local *l)
{
    int step;

    for (step = 0; step < LOGP; step++) {
        int partner = (l->me + (1 << step)) % P;

        flags[partner][l->parity][step] = l->sense;
        while (flags[l->me][l->parity][step] != l->sense)
            usleep(1);
    }
    if (l->parity == 1)
        l->sense = !l->sense;
    l->parity = 1 - l->parity;
}

static void *run(void *p)
{
    struct local l;
    int r, j;

    l.me = *(int *)p;
    l.parity = 0;
    l.sense = 1;
    for (r = 1; r <= ROUNDS; r++) {
        cell[l.me] = r;
        dissemination(&l);
        for (j = 0; j < P; j++)
            assert(cell[j] >= r);
    }
    return 0;
}

int main(void)
{
    pthread_t th[P];
    int ids[P], i;

    for (i = 0; i < P; i++) {
        ids[i] = i;
        pthread_create(&th[i], 0, run, &ids[i]);
    }
    for (i = 0; i < P; i++)
        pthread_join(th[i], 0);
    puts("done");
    return 0;
}
