// Sensors append samples to one array. The level is tested under the lock, but used and advanced under it a second
// time: both sensors can pass the test for the last place, and one stores behind the array.
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#define CAPACITY 2

struct samples {
    pthread_mutex_t lock;
    int level;
    int *values;
};

static struct samples samples = {.lock = PTHREAD_MUTEX_INITIALIZER, .level = 1};

static void append(struct samples *s, int value)
{
    pthread_mutex_lock(&s->lock);
    bool fits = s->level < CAPACITY;
    pthread_mutex_unlock(&s->lock);
    if (!fits)
        return;
    pthread_mutex_lock(&s->lock);
    s->values[s->level] = value;
    s->level++;
    pthread_mutex_unlock(&s->lock);
}

static void *sensor(void *arg)
{
    append(&samples, *(const int *)arg);
    return NULL;
}

int main(void)
{
    static const int inside = 21, outside = 9;
    pthread_t first, second;

    samples.values = calloc(CAPACITY, sizeof *samples.values);
    pthread_create(&first, NULL, sensor, (void *)&inside);
    pthread_create(&second, NULL, sensor, (void *)&outside);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    free(samples.values);
    return 0;
}
