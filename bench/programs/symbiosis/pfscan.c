// A parallel file scanner: the names that it is called with are in the queue when four workers begin to take from it and to
// count matches, and the walker adds what it finds. The test for an element and the decrement of its count are separated by
// a window without the lock.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { WORKERS = 4, NAMED = 8, FOUND = 3, SIZE = 16 };

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER, match_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static const char *queue[SIZE];
static int first, last, filled, closed;
static int scanned, matches, longest, bytes;
static const char *const names[NAMED + FOUND] = {"alpha.c", "beta.c",  "gamma.h", "delta.c", "epsilon.txt", "zeta.c",
                                                 "eta.h",   "theta.c", "iota.c",  "kappa.c", "lambda.txt"};

static void add(const char *name) {
    pthread_mutex_lock(&queue_lock);
    queue[last++ % SIZE] = name;
    filled++;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&queue_lock);
}

static const char *take(void) {
    pthread_mutex_lock(&queue_lock);
    while (filled == 0 && !closed) pthread_cond_wait(&more, &queue_lock);
    int any = filled > 0;
    pthread_mutex_unlock(&queue_lock);
    if (!any) return NULL;
    pthread_mutex_lock(&queue_lock);
    assert(filled > 0);
    filled--;
    const char *name = queue[first++ % SIZE];
    pthread_mutex_unlock(&queue_lock);
    return name;
}

static void scan(const char *name) {
    int length = 0, found = 0;
    for (; name[length] != '\0'; length++) found += name[length] == 'a';
    pthread_mutex_lock(&match_lock);
    scanned++;
    matches += found;
    bytes += length;
    if (length > longest) longest = length;
    pthread_mutex_unlock(&match_lock);
}

static void *work(void *argument) {
    (void)argument;
    const char *name;
    while ((name = take()) != NULL) scan(name);
    return NULL;
}

int main(void) {
    pthread_t workers[WORKERS];
    for (int i = 0; i < NAMED; i++) add(names[i]);
    for (int i = 0; i < WORKERS; i++) pthread_create(&workers[i], NULL, work, NULL);
    for (int i = 0; i < FOUND; i++) add(names[NAMED + i]);
    pthread_mutex_lock(&queue_lock);
    closed = 1;
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&queue_lock);
    for (int i = 0; i < WORKERS; i++) pthread_join(workers[i], NULL);
    return 0;
}
