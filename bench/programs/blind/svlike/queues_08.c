#include <assert.h>
#include <pthread.h>
#include <stddef.h>

void reach_error(void) { assert(0); }

struct node {
    int val;
    struct node *volatile next;
};

static struct node pool[4];
static struct node *head = &pool[0];
static struct node *tail = &pool[0];
static pthread_mutex_t hl = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t tl = PTHREAD_MUTEX_INITIALIZER;

static void enq(struct node *n, int v)
{
    n->val = v;
    n->next = NULL;
    pthread_mutex_lock(&tl);
    tail->next = n;
    tail = n;
    pthread_mutex_unlock(&tl);
}

static int deq(void)
{
    int v = 0;
    pthread_mutex_lock(&hl);
    struct node *n = head->next;
    if (n) {
        v = n->val;
        head = n;
    }
    pthread_mutex_unlock(&hl);
    return v;
}

static void *left(void *arg)
{
    enq(&pool[1], 1);
    enq(&pool[2], 2);
    return 0;
}

static void *right(void *arg)
{
    enq(&pool[3], 4);
    return 0;
}

static int got;

static void *drain(void *arg)
{
    for (int i = 0; i < 3; i++) {
        int v = deq();
        if (v == 2 && !(got & 1))
            reach_error();
        got += v;
    }
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_create(&c, 0, drain, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    for (int i = 0; i < 3; i++)
        got += deq();
    if (got != 7 || deq() != 0)
        reach_error();
    return 0;
}
