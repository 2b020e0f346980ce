#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint seq;
static atomic_int a, b;

static void *writer(void *arg)
{
    int v = (int)(long)arg;
    atomic_fetch_add(&seq, 1);
    atomic_store(&a, v);
    atomic_store(&b, v);
    atomic_fetch_add(&seq, 1);
    return 0;
}

static int reader(void)
{
    unsigned s;
    int x, y;
    do {
        do {
            s = atomic_load(&seq);
        } while (s & 1);
        x = atomic_load(&a);
        y = atomic_load(&b);
    } while (atomic_load(&seq) != s);
    return x - y;
}

int main(void)
{
    pthread_t w1, w2;
    pthread_create(&w1, 0, writer, (void *)1L);
    pthread_create(&w2, 0, writer, (void *)2L);
    int d = reader();
    assert(d == 0);
    pthread_join(w1, 0);
    pthread_join(w2, 0);
    return 0;
}
