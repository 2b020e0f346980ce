#include <assert.h>
#include <pthread.h>
#include <stddef.h>

void reach_error(void) { assert(0); }

struct node {
    struct node *next;
};

static struct node *volatile top;
static struct node a, b;

static void push(struct node *n)
{
    for (;;) {
        struct node *old = top;
        n->next = old;
        if (top == old) {
            top = n;
            return;
        }
    }
}

static void *pusher(void *arg)
{
    push(arg);
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    int len = 0;
    pthread_create(&t1, 0, pusher, &a);
    pthread_create(&t2, 0, pusher, &b);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    for (struct node *p = top; p != NULL && len < 3; p = p->next)
        len++;
    if (len != 2)
        reach_error();
    return 0;
}
