// Two sensors add to the sum of all temperatures and count their readings in one section of a lock, and a display divides
// the one by the other.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double sum = 40.0;
static int count = 2;

static void *sensor(void *arg)
{
    const double *reading = arg;

    pthread_mutex_lock(&lock);
    sum += *reading;
    count++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *display(void *arg)
{
    double mean;

    (void)arg;
    pthread_mutex_lock(&lock);
    mean = sum / count;
    pthread_mutex_unlock(&lock);
    assert(mean >= 19.5 && mean < 21.0);
    return NULL;
}

int main(void)
{
    pthread_t inside, outside, wall;
    double warm = 21.5, cold = 18.5;

    pthread_create(&inside, NULL, sensor, &warm);
    pthread_create(&outside, NULL, sensor, &cold);
    pthread_create(&wall, NULL, display, NULL);
    pthread_join(inside, NULL);
    pthread_join(outside, NULL);
    pthread_join(wall, NULL);
    return 0;
}
