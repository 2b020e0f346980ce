// A manager hands out tasks to six workers, who wait for one each, repair a car, and print a card for it. The tasks are
// guarded by a monitor; the count of printed cards is not: two workers read it, both write, one card is not counted.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { WORKERS = 6, ROUNDS = 2, TASKS = WORKERS * ROUNDS };

static pthread_mutex_t monitor = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t given = PTHREAD_COND_INITIALIZER;
static int waiting[TASKS];
static int first, last, closed;
static int repaired[WORKERS];
static int cards;
#ifdef FIXED
static pthread_mutex_t printer = PTHREAD_MUTEX_INITIALIZER;
#endif

static void give(int task) {
    pthread_mutex_lock(&monitor);
    waiting[last++] = task;
    pthread_cond_signal(&given);
    pthread_mutex_unlock(&monitor);
}

static int take(void) {
    pthread_mutex_lock(&monitor);
    while (first == last && !closed) pthread_cond_wait(&given, &monitor);
    int task = first == last ? -1 : waiting[first++];
    pthread_mutex_unlock(&monitor);
    return task;
}

static void print_card(void) {
#ifdef FIXED
    pthread_mutex_lock(&printer);
    cards++;
    pthread_mutex_unlock(&printer);
#else
    cards++;
#endif
}

static void *work(void *argument) {
    int *count = argument;
    while (take() >= 0) {
        (*count)++;
        print_card();
    }
    return NULL;
}

int main(void) {
    pthread_t workers[WORKERS];
    int done = 0;
    for (int i = 0; i < WORKERS; i++) pthread_create(&workers[i], NULL, work, &repaired[i]);
    for (int task = 0; task < TASKS; task++) give(task);
    pthread_mutex_lock(&monitor);
    closed = 1;
    pthread_cond_broadcast(&given);
    pthread_mutex_unlock(&monitor);
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(workers[i], NULL);
        done += repaired[i];
    }
    assert(cards == done);
    return 0;
}
