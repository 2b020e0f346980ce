#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int from = 10, to;

static void *mover(void *arg)
{
    int amount = __VERIFIER_nondet_int();
    __VERIFIER_assume(amount >= 0 && amount <= 10);
    if (from >= amount) {
        pthread_mutex_lock(&m);
        from -= amount;
        to += amount;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, mover, 0);
    pthread_create(&b, 0, mover, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(from + to == 10);
    assert(from >= 0);
    return 0;
}
