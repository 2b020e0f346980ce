#include <assert.h>

#include "stack.h"

int stack_size(struct stack *s)
{
    int size;

    pthread_mutex_lock(&s->lock);
    size = s->size;
    pthread_mutex_unlock(&s->lock);
    return size;
}

/* The stack must not be empty. */
int stack_pop(struct stack *s)
{
    int item;

    pthread_mutex_lock(&s->lock);
    assert(s->size > 0);
    item = s->items[--s->size];
    pthread_mutex_unlock(&s->lock);
    return item;
}

/* An item, or -1 if there is none. */
int stack_take(struct stack *s)
{
    if (stack_size(s) == 0)
        return -1;
    return stack_pop(s);
}

int tally_mean(struct tally *t)
{
    int mean;

    pthread_mutex_lock(&t->lock);
    mean = t->count == 0 ? 0 : t->sum / t->count;
    pthread_mutex_unlock(&t->lock);
    return mean;
}
