#include <pthread.h>

#define LIMIT 1

static int lease = LIMIT;
static int finished;
int stockpile, report;

static int lease_try(int *s)
{
    int v = __atomic_load_n(s, __ATOMIC_SEQ_CST);

    return v > 0 && __sync_bool_compare_and_swap(s, v, v - 1);
}

static void lease_end(int *s)
{
    __sync_add_and_fetch(s, 1);
}

static void *digger(void *arg)
{
    int tons = *(int *)arg;

    while (!lease_try(&lease))
        __builtin_ia32_pause();
    stockpile += tons;
    lease_end(&lease);
    __sync_fetch_and_add(&finished, 1);
    return NULL;
}

static void *reporter(void *arg)
{
    (void)arg;
    /* wait for both diggers */
    while (!__atomic_load_n(&finished, __ATOMIC_SEQ_CST))
        __builtin_ia32_pause();
    report = stockpile;
    return NULL;
}

int main(void)
{
    pthread_t d1, d2, r;
    int t1 = 4, t2 = 6;

    pthread_create(&r, NULL, reporter, NULL);
    pthread_create(&d1, NULL, digger, &t1);
    pthread_create(&d2, NULL, digger, &t2);
    pthread_join(d1, NULL);
    pthread_join(d2, NULL);
    pthread_join(r, NULL);
    return 0;
}
