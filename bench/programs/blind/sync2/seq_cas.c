#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

struct seqbox {
    atomic_uint seq;
    atomic_int  x, y, z;
};

static struct seqbox box;

static void box_add(struct seqbox *b, int d)
{
    unsigned s;

    for (;;) {
        s = atomic_load(&b->seq);
        if (!(s & 1u) && atomic_compare_exchange_strong(&b->seq, &s, s + 1))
            break;
        sched_yield();
    }
    atomic_store(&b->x, atomic_load(&b->x) + d);
    atomic_store(&b->y, atomic_load(&b->y) + d);
    atomic_store(&b->z, atomic_load(&b->z) - 2 * d);
    atomic_store(&b->seq, s + 2);
}

static int box_sum(struct seqbox *b)
{
    unsigned s;
    int t;

retry:
    s = atomic_load(&b->seq);
    if (s & 1u) {
        sched_yield();
        goto retry;
    }
    t = atomic_load(&b->x) + atomic_load(&b->y) + atomic_load(&b->z);
    if (atomic_load(&b->seq) != s)
        goto retry;
    return t;
}

static void *writer(void *arg)
{
    int i;

    for (i = 0; i < 3; i++)
        box_add(&box, *(int *)arg);
    return NULL;
}

static void *reader(void *arg)
{
    int i;

    (void)arg;
    for (i = 0; i < 3; i++)
        assert(box_sum(&box) == 0);
    return NULL;
}

int main(void)
{
    pthread_t w[2], r[2];
    int d[2] = { 5, 7 };
    int i;

    for (i = 0; i < 2; i++) {
        pthread_create(&w[i], NULL, writer, &d[i]);
        pthread_create(&r[i], NULL, reader, NULL);
    }
    for (i = 0; i < 2; i++) {
        pthread_join(w[i], NULL);
        pthread_join(r[i], NULL);
    }
    assert(box.x == 36 && box.z == -72);
    printf("x=%d seq=%u\n", box.x, box.seq);
    return 0;
}
