#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

static atomic_int best = INT_MIN;

static void *offer(void *arg)
{
    int v = *(int *)arg;
    if (v > atomic_load(&best))
        atomic_store(&best, v);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    pthread_create(&a, 0, offer, &x);
    pthread_create(&b, 0, offer, &y);
    pthread_join(a, 0);
    pthread_join(b, 0);
    int r = atomic_load(&best);
    assert(r >= x && r >= y);
    return 0;
}
