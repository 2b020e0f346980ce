// A Michael and Scott queue: the link behind the last node is set by compare-exchange from null, and whoever finds
// the tail lagging moves it on.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct node {
    _Atomic(struct node *) next;
    int job;
};

static struct node nodes[3] = {{NULL, 0}, {NULL, 10}, {NULL, 20}};
static _Atomic(struct node *) head = &nodes[0];
static _Atomic(struct node *) tail = &nodes[0];
static int sums[2];

static void enqueue(struct node *n)
{
    for (;;) {
        struct node *last = atomic_load(&tail);
        struct node *next = atomic_load(&last->next);
        if (next) {
            atomic_compare_exchange_strong(&tail, &last, next);
            continue;
        }
        if (atomic_compare_exchange_strong(&last->next, &next, n)) {
            atomic_compare_exchange_strong(&tail, &last, n);
            return;
        }
    }
}

static bool dequeue(int *job)
{
    for (;;) {
        struct node *first = atomic_load(&head);
        struct node *last = atomic_load(&tail);
        struct node *next = atomic_load(&first->next);
        if (!next)
            return false;
        if (first == last) {
            atomic_compare_exchange_strong(&tail, &last, next);
            continue;
        }
        *job = next->job;
        if (atomic_compare_exchange_strong(&head, &first, next))
            return true;
    }
}

static void *client(void *arg)
{
    int i = *(const int *)arg, job;

    enqueue(&nodes[i + 1]);
    if (dequeue(&job))
        sums[i] = job;
    return NULL;
}

int main(void)
{
    static const int numbers[2] = {0, 1};
    pthread_t clients[2];
    int job, sum = 0;

    for (int i = 0; i < 2; i++)
        pthread_create(&clients[i], NULL, client, (void *)&numbers[i]);
    for (int i = 0; i < 2; i++) {
        pthread_join(clients[i], NULL);
        sum += sums[i];
    }
    while (dequeue(&job))
        sum += job;
    assert(sum == 30);
    return 0;
}
