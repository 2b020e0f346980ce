/* Combining tree: two leaves below one root, two children per node. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define FANIN  2
#define NTHR   4
#define ROUNDS 2

struct node {
    atomic_int   count;
    atomic_int   sense;
    struct node *up;
};

static struct node root;
static struct node leaf[2] = { { 0, 0, &root }, { 0, 0, &root } };
static int part[NTHR], total[ROUNDS];

static void node_wait(struct node *n, int sense)
{
    if (atomic_fetch_add(&n->count, 1) == FANIN - 1) {
        if (n->up)
            node_wait(n->up, sense);
        atomic_store(&n->count, 0);
        atomic_store(&n->sense, sense);
    } else {
        while (atomic_load(&n->sense) != sense)
            ;
    }
}

static void tree_wait(int id, int *sense)
{
    *sense = !*sense;
    node_wait(&leaf[id / FANIN], *sense);
}

static void *thread(void *arg)
{
    int id = (int)(long)arg;
    int sense = 0;
    int r, i;

    for (r = 0; r < ROUNDS; r++) {
        part[id] = (r + 1) * (id + 1);
        tree_wait(id, &sense);
        if (id == 0)
            for (i = 0; i < NTHR; i++)
                total[r] += part[i];
        tree_wait(id, &sense);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[NTHR];
    long i;

    for (i = 0; i < NTHR; i++)
        pthread_create(&t[i], NULL, thread, (void *)i);
    for (i = 0; i < NTHR; i++)
        pthread_join(t[i], NULL);
    assert(total[0] == 10 && total[1] == 20);
    printf("totals %d %d\n", total[0], total[1]);
    return 0;
}
