#include <pthread.h>
#include <stdlib.h>

struct node {
    int val;
    struct node *next;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct node *head;

static void *walker(void *arg)
{
    long sum = 0;
    pthread_mutex_lock(&m);
    struct node *p = head;
    pthread_mutex_unlock(&m);
    if (p) {
        pthread_mutex_lock(&m);
        sum += p->val;
        pthread_mutex_unlock(&m);
    }
    return (void *)sum;
}

static void *remover(void *arg)
{
    pthread_mutex_lock(&m);
    struct node *n = head;
    head = n->next;
    pthread_mutex_unlock(&m);
    free(n);
    return 0;
}

int main(void)
{
    pthread_t w, r;
    for (int i = 0; i < 2; i++) {
        struct node *n = malloc(sizeof *n);
        if (!n)
            exit(0);
        n->val = i + 1;
        n->next = head;
        head = n;
    }
    pthread_create(&w, 0, walker, 0);
    pthread_create(&r, 0, remover, 0);
    pthread_join(w, 0);
    pthread_join(r, 0);
    free(head);
    return 0;
}
