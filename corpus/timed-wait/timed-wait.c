// A display waits at most a second for a reading and then takes it, without asking whether the wait ended because of
// a reading or because of the time.
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static bool present;
static int reading;

static void *sensor(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    reading = 17;
    present = true;
    pthread_cond_signal(&arrived);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *display(void *arg)
{
    struct timespec deadline;

    (void)arg;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 1;
    pthread_mutex_lock(&lock);
    if (!present)
        pthread_cond_timedwait(&arrived, &lock, &deadline);
    assert(reading == 17);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t producer, consumer;

    pthread_create(&producer, NULL, sensor, NULL);
    pthread_create(&consumer, NULL, display, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    return 0;
}
