#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct page {
    atomic_int title;
    atomic_int body;
};

static struct gazette {
    atomic_uint edition;
    struct page press[2];
} daily;

static void fill(struct page *p, int t)
{
    atomic_store(&p->title, t);
    atomic_store(&p->body, t * t);
}

static void gazette_print(struct gazette *g, int t)
{
    atomic_fetch_add(&g->edition, 1);
    fill(&g->press[0], t);
    atomic_fetch_add(&g->edition, 1);
    fill(&g->press[1], t);
}

static void gazette_read(struct gazette *g, int *t, int *b)
{
    for (;;) {
        unsigned e = atomic_load(&g->edition);
        struct page *p = &g->press[e & 1];
        *t = atomic_load(&p->title);
        *b = atomic_load(&p->body);
        if (atomic_load(&g->edition) == e)
            break;
    }
}

static void *editor(void *g)
{
    for (int t = 2; t < 6; t++)
        gazette_print(g, t);
    return 0;
}

static void *reader(void *g)
{
    for (int i = 0; i < 4; i++) {
        int t, b;
        gazette_read(g, &t, &b);
        assert(b == t * t);
    }
    return 0;
}

int main(void)
{
    pthread_t e, a, b;
    pthread_create(&a, 0, reader, &daily);
    pthread_create(&e, 0, editor, &daily);
    pthread_create(&b, 0, reader, &daily);
    pthread_join(e, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
