#include <assert.h>
#include <pthread.h>
#include <sched.h>

#define STOOLS 2

struct diner {
    int stools;
    int eating;
};

static struct diner joes = { STOOLS, 0 };

static void *eater(void *arg)
{
    struct diner *d = arg;

    for (int meal = 0; meal < 3; meal++) {
        while (__atomic_fetch_sub(&d->stools, 1, __ATOMIC_SEQ_CST) < 0) {
            __atomic_fetch_add(&d->stools, 1, __ATOMIC_SEQ_CST);
            sched_yield();
        }

        int n = __atomic_add_fetch(&d->eating, 1, __ATOMIC_SEQ_CST);
        assert(n <= STOOLS);
        sched_yield();
        __atomic_sub_fetch(&d->eating, 1, __ATOMIC_SEQ_CST);

        __atomic_fetch_add(&d->stools, 1, __ATOMIC_SEQ_CST);
    }
    return 0;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, eater, &joes);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    assert(joes.stools == STOOLS);
    return 0;
}
