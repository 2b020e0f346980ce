// Two workers take jobs from a counter until they are told to stop, which happens under the mutex: a worker that has looked at
// the flag sleeps before it can be set.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_bool stopped;
static int jobs, done;

static void *work(void *argument) {
    for (;;) {
        pthread_mutex_lock(&mutex);
        while (!stopped && jobs == 0) pthread_cond_wait(&changed, &mutex);
        if (jobs == 0) {
            pthread_mutex_unlock(&mutex);
            return argument;
        }
        jobs--;
        done++;
        pthread_mutex_unlock(&mutex);
    }
}

static void submit(void) {
    pthread_mutex_lock(&mutex);
    jobs++;
    pthread_mutex_unlock(&mutex);
    pthread_cond_signal(&changed);
}

static void stop(void) {
    pthread_mutex_lock(&mutex);
    stopped = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

int main(void) {
    pthread_t workers[2];

    for (int i = 0; i < 2; i++) pthread_create(&workers[i], NULL, work, NULL);
    submit();
    submit();
    stop();
    for (int i = 0; i < 2; i++) pthread_join(workers[i], NULL);
    return done != 2;
}
