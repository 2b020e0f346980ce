/* The colours of a palette are mixed by the thread that needs them first, and both may find that they are missing. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int colours[2];
static int mixed;

static int colour(int number)
{
    if (!mixed) {
        colours[0] += 3;
        colours[1] += 5;
        mixed = 1;
    }
    return colours[number];
}

static void *paint(void *arg)
{
    assert(colour(1) == 5);
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, paint, NULL);
    pthread_create(&b, NULL, paint, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
