#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);
void reach_error(void) { assert(0); }

static int word;
static int ticks, last;

static void take(void)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(word == 0);
    word = 1;
    __VERIFIER_atomic_end();
}

static void drop(void)
{
    __VERIFIER_atomic_begin();
    word = 0;
    __VERIFIER_atomic_end();
}

static void *tick(void *arg)
{
    for (int i = 0; i < 2; i++) {
        take();
        int t = ticks;
        last = t;
        ticks = t + 1;
        if (last + 1 != ticks)
            reach_error();
        drop();
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, tick, 0);
    pthread_create(&b, 0, tick, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (ticks != 4)
        reach_error();
    return 0;
}
