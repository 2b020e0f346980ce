#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

struct archive {
    atomic_int state;
    int folio, copy;
};

static struct archive arc;

static void read_begin(struct archive *a)
{
    int v;
again:
    v = atomic_load(&a->state);
    if (v < 0 || !atomic_compare_exchange_strong(&a->state, &v, v + 1)) {
        sched_yield();
        goto again;
    }
}

static void read_end(struct archive *a)
{
    atomic_fetch_sub(&a->state, 1);
}

static void write_begin(struct archive *a)
{
    int zero = 0;
    while (!atomic_compare_exchange_strong(&a->state, &zero, -1)) {
        zero = 0;
        sched_yield();
    }
}

static void write_end(struct archive *a)
{
    atomic_store(&a->state, 0);
}

static void *scholar(void *p)
{
    struct archive *a = p;
    for (int i = 0; i < 3; i++) {
        read_begin(a);
        assert(a->folio == a->copy);
        read_end(a);
    }
    return 0;
}

static void *scribe(void *p)
{
    struct archive *a = p;
    for (int i = 0; i < 3; i++) {
        write_begin(a);
        a->folio++;
        a->copy++;
        write_end(a);
    }
    return 0;
}

int main(void)
{
    pthread_t r1, r2, w;
    pthread_create(&r1, 0, scholar, &arc);
    pthread_create(&w, 0, scribe, &arc);
    pthread_create(&r2, 0, scholar, &arc);
    pthread_join(r1, 0);
    pthread_join(r2, 0);
    pthread_join(w, 0);
    assert(arc.folio == 3);
    return 0;
}
