#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>

struct sync_state {
    _Atomic unsigned in;
    _Atomic unsigned gen;
    unsigned         members;    /* filled in by main */
};

#define SYNC_POINT(st)                                              \
    do {                                                            \
        unsigned gen_ = (st)->gen;                                  \
        if (atomic_fetch_add(&(st)->in, 1) == (st)->members - 1) {  \
            (st)->in = 0;                                           \
            (st)->gen = gen_ + 1;                                   \
        } else {                                                    \
            while ((st)->gen == gen_)                               \
                ;                                                   \
        }                                                           \
    } while (0)

static struct sync_state S;
static int src[3] = { 3, 1, 2 }, tmp[3], dst[3];

static void *sorter(void *arg)
{
    int i = (int)(long)arg;
    int rank = 0;

    tmp[i] = src[i] * 10;
    SYNC_POINT(&S);
    for (int j = 0; j < 3; j++)
        if (tmp[j] < tmp[i])
            rank++;
    dst[rank] = tmp[i];
    SYNC_POINT(&S);
    assert(dst[i] == 10 * (i + 1));
    SYNC_POINT(&S);
    dst[i] /= 10;
    return NULL;
}

int main(void)
{
    pthread_t t[3];

    S.members = sizeof t / sizeof t[0];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, sorter, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
