#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    int val;
    struct node *next;
};

static struct node *_Atomic top;
static struct node pool[2] = { { 1, NULL }, { 2, NULL } };

static void push(struct node *n)
{
    struct node *old = atomic_load(&top);
    n->next = old;
    while (!atomic_compare_exchange_strong(&top, &old, n))
        ;
}

static void *pusher(void *arg)
{
    push(arg);
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    int sum = 0, len = 0;
    pthread_create(&t1, 0, pusher, &pool[0]);
    pthread_create(&t2, 0, pusher, &pool[1]);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    for (struct node *p = atomic_load(&top); p != NULL && len < 3; p = p->next) {
        sum += p->val;
        len++;
    }
    assert(sum == 3);
    return 0;
}
