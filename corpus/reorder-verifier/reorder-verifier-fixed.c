// Setters store a = 1 and b = -1 in a function that runs without interruption, and the checker reads both likewise.
#include <pthread.h>
#include <stddef.h>

extern void reach_error(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int a, b;

static void __VERIFIER_atomic_set_both(void)
{
    a = 1;
    b = -1;
}

static void *setter(void *arg)
{
    (void)arg;
    __VERIFIER_atomic_set_both();
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
