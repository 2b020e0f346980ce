#include <pthread.h>

static volatile unsigned n_upd;
static volatile struct { int num, den; } slot[2] = { { 1, 2 }, { 1, 2 } };
int got_num, got_den;

static void ratio_set(int k)
{
    n_upd = n_upd + 1;
    __sync_synchronize();
    slot[0].num = k;
    slot[0].den = 2 * k;
    __sync_synchronize();
    n_upd = n_upd + 1;
    __sync_synchronize();
    slot[1].num = k;
    slot[1].den = 2 * k;
    __sync_synchronize();
}

static void ratio_get(int *num, int *den)
{
    unsigned n;

    for (;;) {
        n = n_upd;
        *num = slot[!(n & 1)].num;
        *den = slot[!(n & 1)].den;
        if (n == n_upd)
            return;
    }
}

static void *gearbox(void *arg)
{
    (void)arg;
    ratio_set(3);
    ratio_set(4);
    return NULL;
}

static void *gauge(void *arg)
{
    int a, b;

    (void)arg;
    ratio_get(&a, &b);
    got_num = a;
    got_den = b;
    return NULL;
}

int main(void)
{
    pthread_t x, y;

    pthread_create(&x, NULL, gearbox, NULL);
    pthread_create(&y, NULL, gauge, NULL);
    pthread_join(x, NULL);
    pthread_join(y, NULL);
    return 0;
}
