// Main waits for the thread that sets x to zero before it tests x, so that test and assertion see the
// same value.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int x = 1;

static void *clear(void *argument) {
    x = 0;
    return argument;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, clear, NULL);
    pthread_join(other, NULL);
    if (x != 0)
        assert(x != 0);
    return 0;
}
