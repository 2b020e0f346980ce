#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
void reach_error(void) { assert(0); }

static atomic_int shared;

static int digit(void)
{
    int d = __VERIFIER_nondet_int();
    __VERIFIER_assume(d >= 0 && d <= 9);
    return d;
}

static void *setter(void *arg)
{
    int x = digit();
    atomic_store(&shared, x);
    return 0;
}

static void *checker(void *arg)
{
    int y = digit();
    int t = atomic_load(&shared);
    if (3 * t + y == 17)
        reach_error();
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, setter, 0);
    pthread_create(&b, 0, checker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
