#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define N 3

struct node {
    int val;
    struct node *next;
};

static struct node pool[N];
static struct node *_Atomic top;

static void push(struct node *n)
{
    struct node *old = atomic_load(&top);
    do {
        n->next = old;
    } while (!atomic_compare_exchange_strong(&top, &old, n));
}

static void *pusher(void *arg)
{
    struct node *n = arg;
    push(n);
    return 0;
}

int main(void)
{
    pthread_t t[N];
    int sum = 0, len = 0;
    for (int i = 0; i < N; i++) {
        pool[i].val = 1 << i;
        pthread_create(&t[i], 0, pusher, &pool[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    for (struct node *p = atomic_load(&top); p != NULL && len <= N; p = p->next) {
        sum += p->val;
        len++;
    }
    assert(len == N);
    assert(sum == 7);
    return 0;
}
