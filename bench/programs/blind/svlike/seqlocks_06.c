#include <assert.h>
#include <pthread.h>

static volatile unsigned seq;
static volatile int a, b;

static void *writer(void *arg)
{
    for (int i = 1; i <= 2; i++) {
        seq = seq + 1;
        a = i;
        b = i;
        seq = seq + 1;
    }
    return 0;
}

static void *reader(void *arg)
{
    unsigned s;
    int x, y;
    for (;;) {
        s = seq;
        if (s & 1)
            continue;
        x = a;
        y = b;
        if (seq == s)
            break;
    }
    assert(x == y);
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
