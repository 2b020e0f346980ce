#include <assert.h>
#include <pthread.h>

static int dropping;
static volatile int chain_out;
static volatile int anchors;

static void drop_anchor(void)
{
    anchors = anchors + 1;
    chain_out = 55;
}

static void moor(void)
{
    if (__sync_bool_compare_and_swap(&dropping, 0, 1)) {
        drop_anchor();
        __sync_synchronize();
        dropping = 2;
    }
    __sync_synchronize();
}

static void *sailor(void *u)
{
    int turns = 2;
    while (turns--) {
        moor();
        assert(chain_out == 55);
        assert(anchors == 1);
    }
    return u;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, sailor, 0);
    pthread_create(&b, 0, sailor, 0);
    pthread_create(&c, 0, sailor, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
