#include <assert.h>
#include <limits.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
void reach_error(void) { assert(0); }

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int best = INT_MIN;
static int in[2];

static void *offer(void *arg)
{
    int v = *(int *)arg;
    pthread_mutex_lock(&m);
    if (v > best)
        best = v;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    in[0] = __VERIFIER_nondet_int();
    in[1] = __VERIFIER_nondet_int();
    pthread_create(&a, 0, offer, &in[0]);
    pthread_create(&b, 0, offer, &in[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (best < in[0] || best < in[1])
        reach_error();
    if (best != in[0] && best != in[1])
        reach_error();
    return 0;
}
