#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int turn, stop;
static int ball;

static void *ping(void *arg)
{
    while (1) {
        while (atomic_load(&turn) != 0)
            if (atomic_load(&stop))
                return 0;
        if (atomic_load(&stop))
            return 0;
        assert(ball == 0);
        ball = 1;
        atomic_store(&turn, 1);
    }
}

static void *pong(void *arg)
{
    while (1) {
        while (atomic_load(&turn) != 1)
            if (atomic_load(&stop))
                return 0;
        if (atomic_load(&stop))
            return 0;
        assert(ball == 1);
        ball = 0;
        atomic_store(&turn, 0);
    }
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, ping, 0);
    pthread_create(&b, 0, pong, 0);
    atomic_store(&stop, 1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(ball == atomic_load(&turn));
    return 0;
}
