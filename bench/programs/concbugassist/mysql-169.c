// Deleting all rows changes the table and then the log. An insert that changes both falls in between, so that the log
// ends with the deletion and the table with the row.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int rows = 1, logged = 1;

static void *delete_all(void *argument) {
    rows = 0;
    logged = 0;
    return argument;
}
static void *insert(void *argument) {
    rows = 1;
    logged = 1;
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
