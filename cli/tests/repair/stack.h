#ifndef STACK_H
#define STACK_H

#include <pthread.h>

#define CAPACITY 4

struct stack {
    pthread_mutex_t lock;
    int items[CAPACITY];
    int size;
};

struct tally {
    pthread_mutex_t lock;
    int count;
    int sum;
};

int stack_size(struct stack *s);
int stack_pop(struct stack *s);
int stack_take(struct stack *s);

int tally_mean(struct tally *t);

static inline void tally_add(struct tally *t, int value)
{
    t->count++;
    t->sum += value;
}

#endif
