// Setters store a = 1 and then b = -1. A checker that looks in between finds only one of them.
#include <pthread.h>
#include <stddef.h>

extern void reach_error(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int a, b;

static void set_both(void)
{
    a = 1;
    b = -1;
}

static void *setter(void *arg)
{
    (void)arg;
    set_both();
    return NULL;
}

static void *checker(void *arg)
{
    int x, y;

    (void)arg;
    __VERIFIER_atomic_begin();
    x = a;
    y = b;
    __VERIFIER_atomic_end();
    if (!((x == 0 && y == 0) || (x == 1 && y == -1)))
        reach_error();
    return NULL;
}

int main(void)
{
    pthread_t setters[2], check;

    pthread_create(&setters[0], NULL, setter, NULL);
    pthread_create(&setters[1], NULL, setter, NULL);
    pthread_create(&check, NULL, checker, NULL);
    pthread_join(setters[0], NULL);
    pthread_join(setters[1], NULL);
    pthread_join(check, NULL);
    return 0;
}
