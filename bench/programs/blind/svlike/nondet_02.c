#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
void reach_error(void) { assert(0); }

static unsigned x, y;
static unsigned sum, mix;

static void *add_x(void *arg)
{
    __VERIFIER_atomic_begin();
    sum = sum + 3u * x;
    mix = mix ^ x;
    __VERIFIER_atomic_end();
    return 0;
}

static void *add_y(void *arg)
{
    __VERIFIER_atomic_begin();
    sum = sum + 5u * y;
    mix = mix ^ y;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void)
{
    pthread_t a, b;
    x = (unsigned)__VERIFIER_nondet_int();
    y = (unsigned)__VERIFIER_nondet_int();
    pthread_create(&a, 0, add_x, 0);
    pthread_create(&b, 0, add_y, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (sum != 3u * x + 5u * y)
        reach_error();
    if ((mix ^ y) != x)
        reach_error();
    return 0;
}
