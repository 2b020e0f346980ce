#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

#define N 3
#define STOP 0

struct channel {
    volatile int msg[8];
    volatile int rd, wr;
};

static struct channel in[N];
static int ident[N];
static atomic_int leaders;

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
    int me = (int)(long)arg, next = (me + 1) % N, won = 0;
    send(next, ident[me]);
    for (;;) {
        int v = receive(me);
        if (v == STOP) {
            if (!won)
                send(next, STOP);
            return 0;
        }
        if (won)
            continue;
        if (v > ident[me]) {
            send(next, v);
        } else if (v == ident[me]) {
            won = 1;
            int others = atomic_fetch_add(&leaders, 1);
            assert(others == 0);
            send(next, STOP);
        }
    }
}

int main(void)
{
    pthread_t t[N];
    for (int i = 0; i < N; i++) {
        ident[i] = __VERIFIER_nondet_int();
        __VERIFIER_assume(ident[i] >= 1 && ident[i] <= 3);
    }
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], 0, node, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    return 0;
}
