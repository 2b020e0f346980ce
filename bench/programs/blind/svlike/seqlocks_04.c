#include <assert.h>
#include <pthread.h>

static pthread_mutex_t wl = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned seq;
static volatile int plus, minus;

static void *writer(void *arg)
{
    int k = (int)(long)arg;
    pthread_mutex_lock(&wl);
    seq++;
    plus = plus + k;
    minus = minus - k;
    seq++;
    pthread_mutex_unlock(&wl);
    return 0;
}

static void *reader(void *arg)
{
    for (int tries = 0; tries < 3; tries++) {
        unsigned s = seq;
        int p = plus;
        int q = minus;
        unsigned e = seq;
        if (s == e && (s & 1) == 0) {
            assert(p + q == 0);
            break;
        }
    }
    return 0;
}

int main(void)
{
    pthread_t w1, w2, r;
    pthread_create(&w1, 0, writer, (void *)3L);
    pthread_create(&w2, 0, writer, (void *)5L);
    pthread_create(&r, 0, reader, 0);
    pthread_join(w1, 0);
    pthread_join(w2, 0);
    pthread_join(r, 0);
    assert(seq == 4 && plus == 8 && minus == -8);
    return 0;
}
