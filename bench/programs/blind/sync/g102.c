#include <pthread.h>

static int nthr = 3;
static volatile int mark[8][3];      /* [receiver][step] */
int column[3];
int out[3];

struct ctx {
    int rank;
    int round;
};

static void exchange_marks(struct ctx *c)
{
    int step = 0;

    c->round++;
    for (int dist = 1; dist <= nthr / 2; dist *= 2, step++) {
        int peer = (c->rank + dist) % nthr;

        mark[peer][step] = c->round;
        while (mark[c->rank][step] < c->round)
            __builtin_ia32_pause();
    }
}

static void *transpose(void *p)
{
    struct ctx *c = p;

    column[c->rank] = 100 + c->rank;
    exchange_marks(c);
    out[c->rank] = column[(c->rank + 1) % nthr];
    exchange_marks(c);
    column[c->rank] = 0;
    return NULL;
}

int main(void)
{
    pthread_t th[3];
    struct ctx c[3];

    for (int i = 0; i < 3; i++) {
        c[i].rank = i;
        c[i].round = 0;
        pthread_create(&th[i], NULL, transpose, &c[i]);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(th[i], NULL);
    return 0;
}
