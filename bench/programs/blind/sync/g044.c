#include <pthread.h>
#include <stdatomic.h>

typedef struct hub hub;
struct hub {
    hub       *parent;
    int        k;
    atomic_int count;
};

static atomic_uint epoch;
static hub top  = { .parent = NULL, .k = 2 };
static hub low0 = { .parent = &top, .k = 2 };
static hub low1 = { .parent = &top, .k = 1 };

static void climb(hub *h, unsigned e)
{
    if (atomic_fetch_add(&h->count, 1) + 1 < h->k) {
        while (atomic_load(&epoch) == e)
            ;
        return;
    }
    if (h->parent)
        climb(h->parent, e);
    else
        atomic_store(&epoch, e + 1);
    atomic_store(&h->count, 0);
}

static void hub_sync(hub *h)
{
    climb(h, atomic_load(&epoch));
}

int block[3];

struct who { hub *h; int id; };

static void *mapper(void *arg)
{
    struct who *w = arg;

    block[w->id]++;
    hub_sync(w->h);
    block[w->id] += block[(w->id + 1) % 3] > 0;
    hub_sync(w->h);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    struct who w[3] = { { &low0, 0 }, { &low0, 1 }, { &low1, 2 } };

    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, mapper, &w[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
