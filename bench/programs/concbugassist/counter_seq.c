// A sequential counter, used by two threads without a lock. Both read the old value before either has written the new
// one: one of the two steps is lost.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct counter {
    int value;
};

static struct counter counter;

static int get_and_increment(struct counter *counter) {
    int old = counter->value;

    counter->value = old + 1;
    return old;
}

static void *step(void *argument) {
    int *ticket = argument;

    *ticket = get_and_increment(&counter);
    return NULL;
}

int main(void) {
    pthread_t first, second;
    int tickets[2];

    pthread_create(&first, NULL, step, &tickets[0]);
    pthread_create(&second, NULL, step, &tickets[1]);
    pthread_join(first, NULL);
    pthread_join(second, NULL);

    assert(tickets[0] != tickets[1] && counter.value == 2);
    return 0;
}
