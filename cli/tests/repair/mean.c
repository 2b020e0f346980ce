#include <assert.h>

#include "stack.h"

static struct tally tally = {PTHREAD_MUTEX_INITIALIZER, 1, 6};

static void *adder(void *arg)
{
    (void)arg;
    tally_add(&tally, 6);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int mean;

    pthread_create(&thread, NULL, adder, NULL);
    mean = tally_mean(&tally);
    assert(mean == 6);
    pthread_join(thread, NULL);
    return 0;
}
