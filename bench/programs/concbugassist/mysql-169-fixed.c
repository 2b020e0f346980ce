// Deleting all rows and inserting one change table and log under one lock, so that both end with the
// same statement.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int rows = 1, logged = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *delete_all(void *argument) {
    pthread_mutex_lock(&lock);
    rows = 0;
    logged = 0;
    pthread_mutex_unlock(&lock);
    return argument;
}
static void *insert(void *argument) {
    pthread_mutex_lock(&lock);
    rows = 1;
    logged = 1;
    pthread_mutex_unlock(&lock);
    return argument;
}
int main(void) {
    pthread_t deleter, inserter;
    pthread_create(&deleter, NULL, delete_all, NULL);
    pthread_create(&inserter, NULL, insert, NULL);
    pthread_join(deleter, NULL);
    pthread_join(inserter, NULL);
    assert(rows == logged);
}
