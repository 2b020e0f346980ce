//! Small programs with rare operations: they destroy synchronisation objects, join without waiting, and use locks that
//! they may hold already.

/// Without a join the thread may come late.
const DESTROYED_BEFORE_JOIN: &str = r"
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *worker(void *argument) {
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_destroy(&lock);
    pthread_join(thread, NULL);
    return 0;
}
";

/// After the join no thread is left, and all locks are free.
const DESTROYED_AFTER_JOIN: &str = r"
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static sem_t done;
static int ready;
static void *worker(void *argument) {
    pthread_mutex_lock(&lock);
    while (!ready) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    pthread_rwlock_rdlock(&table);
    pthread_rwlock_unlock(&table);
    sem_post(&done);
    return argument;
}
int main(void) {
    pthread_t thread;
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    sem_wait(&done);
    pthread_join(thread, NULL);
    int busy = pthread_mutex_destroy(&lock) + pthread_cond_destroy(&changed);
    busy += pthread_rwlock_destroy(&table) + sem_destroy(&done);
    assert(busy == 0);
    return 0;
}
";

/// It is still in use by the thread that ended without giving it back.
const KEPT_BY_THE_DEAD: &str = r"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int late;
static void *worker(void *argument) {
    pthread_mutex_lock(&lock);
    if (!late) pthread_mutex_unlock(&lock);
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    late = 1;
    pthread_join(thread, NULL);
    assert(pthread_mutex_destroy(&lock) != EBUSY);
    return 0;
}
";

/// Before the first fork, on one of two branches.
const DESTROYED_AT_FIRST: &str = r"
#include <pthread.h>
extern _Bool __VERIFIER_nondet_bool(void);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *argument) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_mutex_destroy(&lock);
    if (__VERIFIER_nondet_bool()) pthread_mutex_init(&lock, NULL);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    return 0;
}
";

/// A sleeping thread keeps the condition variable in use; one that was woken does not.
const SLEPT_ON: &str = r"
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;
static void *worker(void *argument) {
    pthread_mutex_lock(&lock);
    while (!ready) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    ready = 1;
    int early = pthread_cond_destroy(&changed);
    if (early) pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    assert(!early || pthread_cond_destroy(&changed) == 0);
    pthread_join(thread, NULL);
    return 0;
}
";

/// Threads that have met at a barrier may leave it when it is destroyed already, or initialised again.
const LEFT_LATE: &str = r"
#include <pthread.h>
static pthread_barrier_t meeting;
static void *worker(void *argument) {
    pthread_barrier_wait(&meeting);
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_barrier_init(&meeting, NULL, 2);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_barrier_wait(&meeting);
    pthread_barrier_destroy(&meeting);
    pthread_barrier_init(&meeting, NULL, 2);
    pthread_join(thread, NULL);
    return 0;
}
";

/// The semaphore is destroyed by the thread it woke.
const POSTED_LATE: &str = r"
#include <pthread.h>
#include <semaphore.h>
static sem_t done;
static void *worker(void *argument) {
    sem_post(&done);
    sem_post(&done);
    return argument;
}
int main(void) {
    pthread_t thread;
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, worker, NULL);
    sem_wait(&done);
    sem_destroy(&done);
    pthread_join(thread, NULL);
    return 0;
}
";

/// One of two mutexes is destroyed, and threads choose for each other which they take.
const ONE_OF_TWO: &str = r"
#include <pthread.h>
static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t *which = &locks[0];
static void *worker(void *argument) {
    pthread_mutex_t *mine = which;
    pthread_mutex_lock(mine);
    pthread_mutex_unlock(mine);
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    which = &locks[1];
    pthread_mutex_destroy(&locks[1]);
    pthread_join(thread, NULL);
    return 0;
}
";

/// A join that does not wait passes the thread's result to others.
const RESULT_FOR_ALL: &str = r"
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
static pthread_t first;
static void *result;
static void *worker(void *argument) { return argument; }
static void *asks(void *argument) {
    pthread_tryjoin_np(first, &result);
    return argument;
}
int main(void) {
    pthread_t second;
    pthread_create(&first, NULL, worker, (void *)(intptr_t)7);
    pthread_create(&second, NULL, asks, NULL);
    assert((intptr_t)result == 0 || (intptr_t)result == 7);
    pthread_join(second, NULL);
    assert((intptr_t)result == 7);
    return 0;
}
";

/// The pointer for the result is invalid, which is a failure of the thread that can join.
const RESULT_FOR_NOBODY: &str = r"
#define _GNU_SOURCE
#include <pthread.h>
static void *worker(void *argument) { return argument; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    if (pthread_tryjoin_np(thread, (void **)16)) pthread_join(thread, NULL);
    return 0;
}
";

/// An error-checking mutex, which is held on one of two branches.
const CHECKED: &str = r"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static pthread_mutex_t lock;
static int told;
static void *worker(void *argument) {
    int got = pthread_mutex_trylock(&lock) == 0;
    int again = pthread_mutex_lock(&lock);
    told = again == EDEADLK;
    assert(told == got);
    pthread_mutex_unlock(&lock);
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&lock, &kind);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    assert(!told);
    return 0;
}
";

/// One of many recursive mutexes.
const ONE_OF_MANY: &str = r"
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t locks[6];
static int which, total;
static void *worker(void *argument) {
    int mine = which;
    pthread_mutex_lock(&locks[mine]);
    pthread_mutex_lock(&locks[mine]);
    total++;
    pthread_mutex_unlock(&locks[mine]);
    pthread_mutex_unlock(&locks[mine]);
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    for (int i = 0; i < 6; i++) pthread_mutex_init(&locks[i], &kind);
    pthread_create(&thread, NULL, worker, NULL);
    for (int i = 1; i < 6; i++) which = i;
    pthread_mutex_lock(&locks[5]);
    total++;
    pthread_mutex_unlock(&locks[5]);
    pthread_join(thread, NULL);
    assert(total == 2);
    return 0;
}
";

pub const ALL: [&str; 12] = [
    DESTROYED_BEFORE_JOIN,
    DESTROYED_AFTER_JOIN,
    KEPT_BY_THE_DEAD,
    DESTROYED_AT_FIRST,
    SLEPT_ON,
    LEFT_LATE,
    POSTED_LATE,
    ONE_OF_TWO,
    RESULT_FOR_ALL,
    RESULT_FOR_NOBODY,
    CHECKED,
    ONE_OF_MANY,
];
