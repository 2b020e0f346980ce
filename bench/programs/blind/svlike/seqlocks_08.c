#include <assert.h>
#include <pthread.h>

static volatile unsigned seq;
static volatile int first, second;

static void *writer(void *arg)
{
    for (int i = 1; i <= 2; i++) {
        first = i;
        second = i;
        seq = seq + 2;
    }
    return 0;
}

static void *reader(void *arg)
{
    unsigned s;
    int p, q;
    do {
        s = seq;
        p = first;
        q = second;
    } while ((s & 1) || s != seq);
    assert(p == q);
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
