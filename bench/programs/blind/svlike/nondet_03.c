#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static volatile int level = 50;

static int clamp(int v)
{
    if (v < 0)
        return 0;
    if (v > 100)
        return 100;
    return v;
}

static void *setter(void *arg)
{
    for (int i = 0; i < 2; i++)
        level = clamp(__VERIFIER_nondet_int());
    return 0;
}

static void *nudge(void *arg)
{
    int d = __VERIFIER_nondet_int() ? 7 : -7;
    int l = level;
    level = clamp(l + d);
    return 0;
}

static void *monitor(void *arg)
{
    for (int i = 0; i < 2; i++) {
        int l = level;
        assert(l >= 0 && l <= 100);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, setter, 0);
    pthread_create(&b, 0, nudge, 0);
    pthread_create(&c, 0, monitor, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
