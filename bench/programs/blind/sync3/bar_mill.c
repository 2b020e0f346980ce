#include <assert.h>
#include <pthread.h>
#include <unistd.h>

#define CREW 3
#define LAST (CREW - 1)

struct mill {
    int here;
    int turn;
};

static struct mill m;
static int sack[CREW];

static void mill_meet(struct mill *ml)
{
    int t = __atomic_load_n(&ml->turn, __ATOMIC_SEQ_CST);

    if (__atomic_add_fetch(&ml->here, 1, __ATOMIC_SEQ_CST) == LAST) {
        __atomic_store_n(&ml->here, 0, __ATOMIC_SEQ_CST);
        __atomic_store_n(&ml->turn, t + 1, __ATOMIC_SEQ_CST);
    } else {
        do {
            usleep(20);
        } while (__atomic_load_n(&ml->turn, __ATOMIC_SEQ_CST) == t);
    }
}

static void *miller(void *arg)
{
    long me = (long)arg;
    for (int r = 1; r <= 2; r++) {
        __atomic_store_n(&sack[me], r, __ATOMIC_SEQ_CST);
        mill_meet(&m);
        for (int i = 0; i < CREW; i++)
            assert(__atomic_load_n(&sack[i], __ATOMIC_SEQ_CST) >= r);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[CREW];
    for (long i = 0; i < CREW; i++)
        pthread_create(&t[i], NULL, miller, (void *)i);
    for (int i = 0; i < CREW; i++)
        pthread_join(t[i], NULL);
    return 0;
}
