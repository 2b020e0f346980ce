#include <pthread.h>
#include <stdio.h>
#include <assert.h>

#define NPROC 3

struct gate {
    int total;
    int here;
    unsigned gen;
};

static struct gate g = { .total = NPROC };
static long  partial[NPROC];
static long  grand[2];

static int gate_pass(struct gate *p)
{
    unsigned mine = __atomic_load_n(&p->gen, __ATOMIC_SEQ_CST);

    if (__atomic_add_fetch(&p->here, 1, __ATOMIC_SEQ_CST) == p->total) {
        __atomic_store_n(&p->here, 0, __ATOMIC_SEQ_CST);
        __atomic_add_fetch(&p->gen, 1, __ATOMIC_SEQ_CST);
        return 1;               /* the one that opened the gate */
    }
    while (__atomic_load_n(&p->gen, __ATOMIC_SEQ_CST) == mine)
        __builtin_ia32_pause();
    return 0;
}

struct job { int id; int base; };

static void *crunch(void *a)
{
    struct job *j = a;

    for (int pass = 0; pass < 2; pass++) {
        partial[j->id] = j->base * (pass + 1);
        if (gate_pass(&g)) {
            grand[pass] = partial[0] + partial[1] + partial[2];
        }
        gate_pass(&g);
    }
    return NULL;
}

int main(void)
{
    pthread_t tid[NPROC];
    struct job jobs[NPROC] = { {0, 10}, {1, 20}, {2, 30} };

    for (int i = 0; i < NPROC; i++)
        if (pthread_create(&tid[i], NULL, crunch, &jobs[i]))
            return 1;
    for (int i = 0; i < NPROC; i++)
        pthread_join(tid[i], NULL);
    assert(grand[0] == 60 && grand[1] == 120);
    return 0;
}
