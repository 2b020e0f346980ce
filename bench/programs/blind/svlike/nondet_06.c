#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
void reach_error(void) { assert(0); }

static volatile int limit = 4;
static int used[4];

static void *user(void *arg)
{
    int i = __VERIFIER_nondet_int();
    __VERIFIER_assume(i >= 0 && i < 4);
    if (i < limit) {
        used[i]++;
        if (i >= limit)
            reach_error();
    }
    return 0;
}

static void *shrinker(void *arg)
{
    int k = __VERIFIER_nondet_int();
    __VERIFIER_assume(k >= 1 && k <= 4);
    limit = k;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, user, 0);
    pthread_create(&b, 0, shrinker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
