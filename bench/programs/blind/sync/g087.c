#define _DEFAULT_SOURCE
#include <pthread.h>
#include <unistd.h>

#define N 3

struct bsync {
    int          cnt;
    volatile int go;
};

static struct bsync bs[1];
int in[N], outv[N];

static void bsync_enter(struct bsync *b)
{
    int g = b->go;

    if (__sync_add_and_fetch(&b->cnt, 1) == N - 1) {
        b->cnt = 0;
        __sync_synchronize();
        b->go = g + 1;
        return;
    }
    while (b->go == g)
        usleep(10);
}

static void *filter(void *arg)
{
    int k = (int)(long)arg;

    in[k] = 1 << k;
    bsync_enter(bs);
    outv[k] = in[0] | in[1] | in[2];
    return NULL;
}

int main(void)
{
    pthread_t t[N];

    for (long k = 0; k < N; k++)
        pthread_create(&t[k], NULL, filter, (void *)k);
    for (int k = 0; k < N; k++)
        pthread_join(t[k], NULL);
    return 0;
}
