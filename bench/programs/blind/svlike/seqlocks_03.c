#include <assert.h>
#include <pthread.h>

static volatile unsigned seq;
static volatile int left, right;

static void bump(void)
{
    seq = (seq + 1) & 3;
}

static void *writer(void *arg)
{
    for (int i = 1; i <= 2; i++) {
        bump();
        left = i;
        right = i;
        bump();
    }
    return 0;
}

static void *reader(void *arg)
{
    for (;;) {
        unsigned s = seq;
        if (s & 1)
            continue;
        int l = left;
        int r = right;
        if (s == seq) {
            assert(l == r);
            return 0;
        }
    }
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
