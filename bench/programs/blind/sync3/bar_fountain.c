#include <assert.h>
#include <pthread.h>

#define GUESTS 3

struct fountain {
    pthread_mutex_t mu;
    pthread_cond_t cv;
    int in, out;
};

static struct fountain f = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0 };
static int wish[GUESTS];

static void fountain_meet(struct fountain *p)
{
    pthread_mutex_lock(&p->mu);
    p->in++;
    if (p->in >= GUESTS)
        pthread_cond_broadcast(&p->cv);
    while (p->in < GUESTS)
        pthread_cond_wait(&p->cv, &p->mu);
    if (++p->out == GUESTS) {
        p->in = 0;
        p->out = 0;
    }
    pthread_mutex_unlock(&p->mu);
}

static void *guest(void *arg)
{
    int *mine = arg;
    for (int r = 1; r <= 2; r++) {
        __atomic_store_n(mine, r, __ATOMIC_SEQ_CST);
        fountain_meet(&f);
        for (int i = 0; i < GUESTS; i++)
            assert(__atomic_load_n(&wish[i], __ATOMIC_SEQ_CST) >= r);
    }
    return 0;
}

int main(void)
{
    pthread_t t[GUESTS];
    for (int i = 0; i < GUESTS; i++)
        pthread_create(&t[i], 0, guest, &wish[i]);
    for (int i = 0; i < GUESTS; i++)
        pthread_join(t[i], 0);
    return 0;
}
