// Main tests x and asserts what it has tested; the other thread sets x to zero between the test and
// the assertion.
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
    if (x != 0)
        assert(x != 0);
    pthread_join(other, NULL);
    return 0;
}
