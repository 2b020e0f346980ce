#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    struct node *next;
    int val;
};

static struct node only = { NULL, 5 };
static struct node *_Atomic top = &only;

static struct node *pop(void)
{
    while (atomic_load(&top) != NULL) {
        struct node *n = atomic_load(&top);
        struct node *next = n->next;
        if (atomic_compare_exchange_strong(&top, &n, next))
            return n;
    }
    return NULL;
}

static void *popper(void *arg)
{
    struct node *n = pop();
    if (n != NULL)
        n->val++;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, popper, 0);
    pthread_create(&b, 0, popper, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
