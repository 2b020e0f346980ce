#include "stack.h"

static struct stack stack = {PTHREAD_MUTEX_INITIALIZER, {7}, 1};

static void *taker(void *arg)
{
    (void)arg;
    stack_take(&stack);
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, taker, NULL);
    pthread_create(&b, NULL, taker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return stack_size(&stack);
}
