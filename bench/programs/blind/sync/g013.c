#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>

/* two copies: the low bit of 'turn' says which one is at rest */
struct twin {
    atomic_uint turn;
    struct { atomic_int base, top; } copy[2];
};

static struct twin range = { 0, { { 0, 10 }, { 0, 10 } } };

static void twin_update(struct twin *t, int base)
{
    for (int k = 0; k < 2; k++) {
        atomic_fetch_add(&t->turn, 1);
        /* now readers use the other copy */
        atomic_store(&t->copy[k].base, base);
        atomic_store(&t->copy[k].top, base + 10);
    }
}

static void twin_read(struct twin *t, int *base, int *top)
{
    unsigned n;

    do {
        n = atomic_load(&t->turn);
        *base = atomic_load(&t->copy[n & 1].base);
        *top = atomic_load(&t->copy[n & 1].top);
    } while (atomic_load(&t->turn) != n);
}

static void *tuner(void *arg)
{
    (void)arg;
    twin_update(&range, 5);
    twin_update(&range, 40);
    return NULL;
}

static void *player(void *arg)
{
    int b, t;

    (void)arg;
    twin_read(&range, &b, &t);
    assert(t - b == 10);
    return NULL;
}

int main(void)
{
    pthread_t w, r1, r2;

    pthread_create(&w, NULL, tuner, NULL);
    pthread_create(&r1, NULL, player, NULL);
    pthread_create(&r2, NULL, player, NULL);
    pthread_join(w, NULL);
    pthread_join(r1, NULL);
    pthread_join(r2, NULL);
    return 0;
}
