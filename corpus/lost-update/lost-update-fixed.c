// Two turnstiles count visitors. Reading and writing the counter is one critical section, so no visit is lost.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int visitors;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *turnstile(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&gate);
    visitors++;
    pthread_mutex_unlock(&gate);
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
