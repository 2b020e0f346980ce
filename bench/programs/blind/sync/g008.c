#include <pthread.h>
#include <stdatomic.h>

struct rw {
    volatile int nreaders;
    atomic_flag  gate;
};

static struct rw lk = { 0, ATOMIC_FLAG_INIT };
int lo = 1, hi = 2;
int view[2];

static void gate_close(struct rw *l)
{
    while (atomic_flag_test_and_set(&l->gate))
        ;
}

static void gate_open(struct rw *l)
{
    atomic_flag_clear(&l->gate);
}

static void r_begin(struct rw *l)
{
    int n = l->nreaders;

    l->nreaders = n + 1;
    if (n == 0)
        gate_close(l);
}

static void r_end(struct rw *l)
{
    int n = l->nreaders - 1;

    l->nreaders = n;
    if (n == 0)
        gate_open(l);
}

static void w_begin(struct rw *l) { gate_close(l); }
static void w_end(struct rw *l)   { gate_open(l); }

static void *inspect(void *arg)
{
    int k = (int)(long)arg;

    r_begin(&lk);
    view[k] = hi - lo;
    r_end(&lk);
    return NULL;
}

static void *shift(void *arg)
{
    (void)arg;
    w_begin(&lk);
    lo += 10;
    hi += 10;
    w_end(&lk);
    return NULL;
}

int main(void)
{
    pthread_t a, b, w;

    pthread_create(&a, NULL, inspect, (void *)0L);
    pthread_create(&b, NULL, inspect, (void *)1L);
    pthread_create(&w, NULL, shift, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(w, NULL);
    return 0;
}
