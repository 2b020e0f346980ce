#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
void reach_error(void) { assert(0); }

#define N 3
#define STOP (-1)

struct channel {
    volatile int msg[8];
    volatile int rd, wr;
};

static struct channel in[N];
static int ident[N];
static volatile int elected[N];

static void send(int to, int v)
{
    struct channel *c = &in[to];
    c->msg[c->wr] = v;
    c->wr = c->wr + 1;
}

static int receive(int me)
{
    struct channel *c = &in[me];
    while (c->rd == c->wr)
        ;
    int v = c->msg[c->rd];
    c->rd = c->rd + 1;
    return v;
}

static void *node(void *arg)
{
    int me = (int)(long)arg, next = (me + 1) % N;
    send(next, ident[me]);
    for (;;) {
        int v = receive(me);
        if (v == STOP) {
            if (!elected[me])
                send(next, STOP);
            return 0;
        }
        if (elected[me])
            continue;
        if (v > ident[me]) {
            send(next, v);
        } else if (v == ident[me]) {
            elected[me] = 1;
            send(next, STOP);
        }
    }
}

int main(void)
{
    pthread_t t[N];
    for (int i = 0; i < N; i++) {
        ident[i] = __VERIFIER_nondet_int();
        __VERIFIER_assume(ident[i] >= 0);
    }
    __VERIFIER_assume(ident[0] != ident[1]);
    __VERIFIER_assume(ident[1] != ident[2]);
    __VERIFIER_assume(ident[0] != ident[2]);
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], 0, node, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    if (elected[0] + elected[1] + elected[2] != 1)
        reach_error();
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if (elected[i] && ident[j] > ident[i])
                reach_error();
    return 0;
}
