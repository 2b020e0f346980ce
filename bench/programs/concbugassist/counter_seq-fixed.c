// A sequential counter, used by two threads. Reading the old value and writing the new one happen under the counter's
// lock.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct counter {
    int value;
    pthread_mutex_t lock;
};

static struct counter counter = {0, PTHREAD_MUTEX_INITIALIZER};

static int get_and_increment(struct counter *counter) {
    int old;

    pthread_mutex_lock(&counter->lock);
    old = counter->value;
    counter->value = old + 1;
    pthread_mutex_unlock(&counter->lock);
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
