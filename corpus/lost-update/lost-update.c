// Two turnstiles count visitors with an unprotected `visitors++`. If both read the counter before either writes it
// back, one visitor is lost.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int visitors;

static void *turnstile(void *arg)
{
    (void)arg;
    visitors++;
    return NULL;
}

int main(void)
{
    pthread_t north, south;

    pthread_create(&north, NULL, turnstile, NULL);
    pthread_create(&south, NULL, turnstile, NULL);
    pthread_join(north, NULL);
    pthread_join(south, NULL);
    assert(visitors == 2);
    return 0;
}
