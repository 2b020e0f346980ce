#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

void reach_error(void) { assert(0); }

struct node {
    struct node *next;
    atomic_int uses;
};

static struct node *_Atomic top;
static struct node pool[2];

static void push(struct node *n)
{
    struct node *old = atomic_load(&top);
    do {
        n->next = old;
    } while (!atomic_compare_exchange_strong(&top, &old, n));
}

static struct node *pop(void)
{
    struct node *n = atomic_load(&top);
    while (n != NULL && !atomic_compare_exchange_strong(&top, &n, n->next))
        ;
    return n;
}

static void *worker(void *arg)
{
    push(arg);
    struct node *n = pop();
    if (n == NULL)
        reach_error();
    if (atomic_fetch_add(&n->uses, 1) != 0)
        reach_error();
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, worker, &pool[0]);
    pthread_create(&t2, 0, worker, &pool[1]);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    if (atomic_load(&top) != NULL)
        reach_error();
    return 0;
}
