#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

void reach_error(void) { assert(0); }

static atomic_uint seq;
static atomic_int a, b;

static void write_both(int v)
{
    unsigned s;
    for (;;) {
        s = atomic_load(&seq);
        if ((s & 1) == 0 && atomic_compare_exchange_strong(&seq, &s, s + 1))
            break;
    }
    atomic_store(&a, v);
    atomic_store(&b, v);
    atomic_store(&seq, s + 2);
}

static void *writer(void *arg)
{
    write_both((int)(long)arg);
    return 0;
}

static void *reader(void *arg)
{
    for (;;) {
        unsigned s = atomic_load(&seq);
        if (s & 1)
            continue;
        int x = atomic_load(&a);
        int y = atomic_load(&b);
        if (atomic_load(&seq) != s)
            continue;
        if (x != y)
            reach_error();
        return 0;
    }
}

int main(void)
{
    pthread_t w1, w2, r;
    pthread_create(&w1, 0, writer, (void *)1L);
    pthread_create(&w2, 0, writer, (void *)2L);
    pthread_create(&r, 0, reader, 0);
    pthread_join(w1, 0);
    pthread_join(w2, 0);
    pthread_join(r, 0);
    if (atomic_load(&seq) != 4)
        reach_error();
    return 0;
}
