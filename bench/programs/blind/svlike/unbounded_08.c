#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
void reach_error(void) { assert(0); }

static unsigned n;
static volatile unsigned total;

static void *worker(void *arg)
{
    for (unsigned i = 0; i < n; i++)
        total = total + 1;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    n = (unsigned)__VERIFIER_nondet_int();
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (total != 2u * n)
        reach_error();
    return 0;
}
