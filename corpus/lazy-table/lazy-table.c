// A table of squares is built on first use. The flag that says so is set before the table is complete, and another
// thread reads an entry that is not there yet.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define SIZE 4

static atomic_int squares[SIZE];
static atomic_int built;

static void build(void)
{
    for (int i = 0; i < SIZE; i++)
        squares[i] = i * i;
}

static int square(int n)
{
    if (!atomic_exchange(&built, 1))
        build();
    return squares[n];
}

static void *caller(void *arg)
{
    (void)arg;
    int nine = square(3);
    assert(nine == 9);
    return NULL;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, NULL, caller, NULL);
    pthread_create(&second, NULL, caller, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
