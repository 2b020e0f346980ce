#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

void reach_error(void) { assert(0); }

static atomic_uint seq;
static atomic_int x, y;

static void *writer(void *arg)
{
    atomic_fetch_add(&seq, 1);
    atomic_store(&x, 1);
    atomic_store(&y, 1);
    atomic_fetch_add(&seq, 1);
    return 0;
}

static void *reader(void *arg)
{
    unsigned s;
    int p, q;
    do {
        s = atomic_load(&seq);
        p = atomic_load(&x);
        q = atomic_load(&y);
    } while (atomic_load(&seq) != s);
    if (p != q)
        reach_error();
    return 0;
}

int main(void)
{
    pthread_t w, r;
    pthread_create(&w, 0, writer, 0);
    pthread_create(&r, 0, reader, 0);
    pthread_join(w, 0);
    pthread_join(r, 0);
    return 0;
}
