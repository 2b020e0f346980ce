// Two engines draw fuel from one tank: each looks whether there is enough, and draws later. Both can see enough for one,
// and the level falls below the reserve.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define RESERVE 1.5f

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static float level = 4.0f;

static float read_level(void)
{
    float now;

    pthread_mutex_lock(&lock);
    now = level;
    pthread_mutex_unlock(&lock);
    return now;
}

static void *engine(void *arg)
{
    const float *needed = arg;

    if (read_level() - *needed >= RESERVE) {
        pthread_mutex_lock(&lock);
        level -= *needed;
        assert(level >= RESERVE);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t left, right;
    float more = 1.75f, less = 1.25f;

    pthread_create(&left, NULL, engine, &more);
    pthread_create(&right, NULL, engine, &less);
    pthread_join(left, NULL);
    pthread_join(right, NULL);
    return 0;
}
