#include <assert.h>
#include <pthread.h>

static volatile int want[2], turn;
static volatile int x;

static void *proc(void *arg)
{
    int me = (int)(long)arg, other = 1 - me;
    want[me] = 1;
    turn = me;
    while (want[other] && turn == other)
        ;
    x = me;
    assert(x == me);
    want[me] = 0;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, proc, (void *)0L);
    pthread_create(&b, 0, proc, (void *)1L);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
