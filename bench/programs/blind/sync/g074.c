#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct cell { atomic_int taken; };

struct handle {
    struct cell *mine;
    struct cell *before;
};

static _Atomic(struct cell *) rear;
static int inventory;

static void line_join(struct handle *h)
{
    atomic_store(&h->mine->taken, 1);
    h->before = atomic_exchange(&rear, h->mine);
    while (atomic_load(&h->before->taken))
        ;
}

static void line_quit(struct handle *h)
{
    struct cell *c = h->mine;

    h->mine = h->before;       /* the predecessor's cell is ours now */
    atomic_store(&c->taken, 0);
}

static void *storeman(void *arg)
{
    struct handle *h = arg;

    for (int i = 0; i < 2; i++) {
        line_join(h);
        inventory++;
        line_quit(h);
    }
    return NULL;
}

int main(void)
{
    struct handle h[3];
    pthread_t t[3];

    atomic_store(&rear, calloc(1, sizeof(struct cell)));
    for (int i = 0; i < 3; i++) {
        h[i].mine = calloc(1, sizeof(struct cell));
        h[i].before = NULL;
        pthread_create(&t[i], NULL, storeman, &h[i]);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < 3; i++)
        free(h[i].mine);
    free(atomic_load(&rear));
    return inventory == 6 ? 0 : 1;
}
