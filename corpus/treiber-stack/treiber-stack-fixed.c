// A lock-free stack of buffers. pop() keeps the top from being freed until its compare-exchange is over, so that the
// address of a buffer that it compares with cannot have been used again.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

struct buffer {
    struct buffer *next;
    int number;
};

static _Atomic(struct buffer *) top;
static atomic_int readers;
static struct buffer *retired, *kept, *taken;

static void push(int number)
{
    struct buffer *b = malloc(sizeof *b);

    b->number = number;
    b->next = atomic_load(&top);
    while (!atomic_compare_exchange_strong(&top, &b->next, b))
        ;
}

static struct buffer *pop(void)
{
    for (;;) {
        atomic_fetch_add(&readers, 1);
        struct buffer *old = atomic_load(&top);
        struct buffer *next = old ? old->next : NULL;
        struct buffer *expected = old;
        int done = old == NULL || atomic_compare_exchange_strong(&top, &expected, next);
        atomic_fetch_sub(&readers, 1);
        if (done)
            return old;
    }
}

static void release(struct buffer *b)
{
    if (atomic_load(&readers) == 0)
        free(b);
    else
        retired = b;
}

static void *reader(void *arg)
{
    (void)arg;
    taken = pop();
    return NULL;
}

static void recycle(void)
{
    struct buffer *first = pop();

    kept = pop();
    if (first)
        release(first);
    push(3);
}

int main(void)
{
    pthread_t other;

    push(2);
    push(1);
    pthread_create(&other, NULL, reader, NULL);
    recycle();
    pthread_join(other, NULL);
    for (struct buffer *b = top; b; b = b->next)
        assert(b != kept && b != taken);
    for (struct buffer *b = pop(); b; b = pop())
        free(b);
    free(kept);
    free(taken);
    free(retired);
    return 0;
}
