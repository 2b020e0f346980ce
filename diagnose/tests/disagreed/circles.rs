//! Deadlocks in a cycle through read/write locks and once-controls, while other threads can go on.

/// A reader that asks for the write lock waits for itself, while main ends the process.
const UPGRADED: &str = r"
#include <pthread.h>
#include <stdlib.h>
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void *upgrade(void *argument) {
    (void)argument;
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return NULL;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, upgrade, NULL);
    return 0;
}
";

/// Two functions that run once, and each asks for the other.
const ONCE_IN_ONCE: &str = r"
#include <pthread.h>
#include <stdlib.h>
static pthread_once_t one = PTHREAD_ONCE_INIT, two = PTHREAD_ONCE_INIT;
static void in_two(void) {}
static void in_one(void) { pthread_once(&two, in_two); }
static void back(void) { pthread_once(&one, in_one); }
static void *first(void *argument) { pthread_once(&one, in_one); return argument; }
static void *second(void *argument) { pthread_once(&two, back); return argument; }
int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    return 0;
}
";

/// A writer waits for two readers; only one of them is in the cycle.
const WRITER_AND_READERS: &str = r"
#include <pthread.h>
#include <stdlib.h>
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *reader(void *argument) {
    pthread_rwlock_rdlock(&lock);
    if (argument) pthread_mutex_lock(&mutex);
    if (argument) pthread_mutex_unlock(&mutex);
    pthread_rwlock_unlock(&lock);
    return NULL;
}
static void *writer(void *argument) {
    pthread_mutex_lock(&mutex);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_mutex_unlock(&mutex);
    return argument;
}
int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, reader, &lock);
    pthread_create(&threads[2], NULL, writer, NULL);
    return 0;
}
";

/// A thread waits for the function that runs once, which waits for that thread. It was entered before any thread
/// was created.
const STARTED_INSIDE_ONCE: &str = r"
#include <pthread.h>
#include <stdlib.h>
static pthread_once_t control = PTHREAD_ONCE_INIT;
static void start(void);
static void *again(void *argument) { pthread_once(&control, start); return argument; }
static void *end(void *argument) { exit(0); return argument; }
static void start(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, again, NULL);
    pthread_create(&threads[1], NULL, end, NULL);
    pthread_join(threads[0], NULL);
}
int main(void) {
    pthread_once(&control, start);
    return 0;
}
";

pub const ALL: [&str; 4] = [UPGRADED, ONCE_IN_ONCE, WRITER_AND_READERS, STARTED_INSIDE_ONCE];
