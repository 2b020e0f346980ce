#include <pthread.h>
#include <sched.h>

#define NTHREADS 3

struct filter {
    volatile int lvl[NTHREADS];
    volatile int last[NTHREADS];
};

static struct filter f;
int water, dirt;

static void filter_lock(struct filter *p, int id)
{
    int l, k;

    for (l = 1; l < NTHREADS - 1; l++) {
        p->lvl[id] = l;
        __sync_synchronize();
        p->last[l] = id;
        __sync_synchronize();
    again:
        for (k = 0; k < NTHREADS; k++) {
            if (k == id)
                continue;
            if (p->lvl[k] >= l && p->last[l] == id) {
                sched_yield();
                goto again;
            }
        }
    }
}

static void filter_unlock(struct filter *p, int id)
{
    p->lvl[id] = 0;
}

static void *drip(void *arg)
{
    int id = (int)(long)arg;

    for (int i = 0; i < 2; i++) {
        filter_lock(&f, id);
        water += 2;
        dirt = water / 2;
        filter_unlock(&f, id);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[NTHREADS];

    for (long i = 0; i < NTHREADS; i++)
        pthread_create(&t[i], NULL, drip, (void *)i);
    for (int i = 0; i < NTHREADS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
