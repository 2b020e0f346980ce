//! Threads that are joined by others than their creators, by several, or by none.

/// Main joins a thread that another thread created, and is walked before that one is.
const JOINED_BY_GRANDPARENT: &str = r"
#include <assert.h>
#include <pthread.h>
static pthread_t inner;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;
static void *second(void *argument) {
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_mutex_unlock(&lock);
    return argument;
}
static void *first(void *argument) {
    pthread_create(&inner, NULL, second, argument);
    return argument;
}
int main(void) {
    pthread_t outer;
    pthread_create(&outer, NULL, first, NULL);
    pthread_join(outer, NULL);
    assert(pthread_join(inner, NULL) == 0);
    assert(done == 1);
    pthread_mutex_destroy(&lock);
    return 0;
}
";

/// The handle may not be stored yet: then there is nothing to join.
const JOINED_BY_UNCLE: &str = r"
#include <assert.h>
#include <pthread.h>
static pthread_t inner;
static int done;
static void *second(void *argument) {
    done = 1;
    return argument;
}
static void *first(void *argument) {
    if (pthread_join(inner, NULL) == 0) assert(done == 1);
    return argument;
}
static void *third(void *argument) {
    pthread_create(&inner, NULL, second, argument);
    return argument;
}
int main(void) {
    pthread_t outer[2];
    pthread_create(&outer[0], NULL, first, NULL);
    pthread_create(&outer[1], NULL, third, NULL);
    pthread_join(outer[0], NULL);
    pthread_join(outer[1], NULL);
    assert(done == 1);
    return 0;
}
";

/// A thread that is detached cannot be joined, nor detached again.
const DETACHED: &str = r"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static int done;
static void *worker(void *argument) {
    done = 1;
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    assert(pthread_detach(thread) == 0);
    assert(pthread_detach(thread) == EINVAL);
    assert(pthread_join(thread, NULL) == EINVAL);
    assert(done == 0);
    return 0;
}
";

/// It was joined before, on one of two branches.
const JOINED_ON_ONE_WAY: &str = r"
#include <assert.h>
#include <pthread.h>
static int early;
static void *other(void *argument) {
    early = 1;
    return argument;
}
static void *worker(void *argument) { return argument; }
int main(void) {
    pthread_t thread, second;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_create(&second, NULL, other, NULL);
    if (early) pthread_join(thread, NULL);
    int again = pthread_join(thread, NULL);
    pthread_join(second, NULL);
    assert(again == 0);
    return 0;
}
";

/// Two threads join a third one: only one of them gets its result.
const JOINED_BY_TWO: &str = r"
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
static pthread_t shared;
static int joined;
static void *worker(void *argument) { return argument; }
static void *other(void *argument) {
    void *result = NULL;
    int told = pthread_join(shared, &result);
    assert((told == 0) == (result != NULL));
    joined = told == 0;
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&shared, NULL, worker, (void *)(intptr_t)5);
    pthread_create(&thread, NULL, other, NULL);
    void *result = NULL;
    int told = pthread_join(shared, &result);
    assert((told == 0) == ((intptr_t)result == 5));
    pthread_join(thread, NULL);
    assert((told == 0) != joined);
    assert(joined);
    return 0;
}
";

/// A thread that exits takes the locals of all its calls with it.
const LENT_BY_WHO_EXITS: &str = r"
#include <pthread.h>
static int *lent, *spare;
static void *reader(void *argument) {
    if (*lent == *spare) lent = NULL;
    return argument;
}
static void *writer(void *argument) {
    *spare = 2;
    return argument;
}
static void lend(void) {
    pthread_t threads[2];
    int deeper = 1;
    spare = &deeper;
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, writer, NULL);
    pthread_exit(NULL);
}
int main(void) {
    int mine = 2;
    lent = &mine;
    lend();
    return 0;
}
";

pub const ALL: [&str; 6] =
    [JOINED_BY_GRANDPARENT, JOINED_BY_UNCLE, DETACHED, JOINED_ON_ONE_WAY, JOINED_BY_TWO, LENT_BY_WHO_EXITS];
