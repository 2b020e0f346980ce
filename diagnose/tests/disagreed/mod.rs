//! The smallest programs on which checking and exploration once disagreed.

pub mod circles;
pub mod joins;

/// A store without a change depends on the current value: the loop is not idle, and terminates.
const LOWERED_AGAIN: &str = r"
#include <pthread.h>
static int level;
static void *other(void *argument) {
    level = 2;
    level = 1;
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    while (level < 2) level++;
    pthread_join(thread, NULL);
    return 0;
}
";

/// A thread does not own a mutex any more after another thread has released it.
const RELEASED_BY_OTHERS: &str = r"
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *owner(void *argument) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, owner, NULL);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
";

/// The check that a mutex is held and its release are one step.
const RELEASED_IN_ONE_STEP: &str = r"
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *which = &m;
static void *first(void *argument) {
    pthread_mutex_lock(which);
    pthread_mutex_unlock(which);
    return argument;
}
static void *second(void *argument) {
    which = &n;
    pthread_mutex_lock(&n);
    pthread_mutex_unlock(&n);
    return argument;
}
int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
";

/// Two assertions that say the same are two places.
const SAID_TWICE: &str = r"
#include <assert.h>
#include <pthread.h>
static int x, y;
static void *first(void *argument) {
    y = 3;
    assert(x == y);
    return argument;
}
static void *second(void *argument) {
    assert(x == y);
    x = 3;
    return argument;
}
int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
";

/// That a block is alive and that it is read are one step; each of its two ends can be the second.
const ENDED_TWICE: &str = r"
#include <pthread.h>
#include <stdlib.h>
static int *box;
static void take(void) {
    int *mine = box;
    if (mine) {
        box = NULL;
        if (*mine) free(mine);
    }
}
static void *other(void *argument) {
    take();
    return argument;
}
int main(void) {
    pthread_t thread;
    box = malloc(sizeof *box);
    if (!box) abort();
    *box = 1;
    pthread_create(&thread, NULL, other, NULL);
    take();
    pthread_join(thread, NULL);
    return 0;
}
";

/// An iteration is idle if its try-lock fails, whatever happens after a successful one.
const TRIED_IN_VAIN: &str = r"
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int own;
static void *other(void *argument) {
    for (int i = 0; i < 2;) {
        if (pthread_mutex_trylock(&mutex) == 0) {
            own = 2;
            i++;
            pthread_mutex_unlock(&mutex);
        }
    }
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    pthread_mutex_lock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
";

/// Nested loops wait at one place, whatever woke them before.
const NESTED: &str = r"
#include <pthread.h>
#include <stdatomic.h>
static atomic_int one, two, x;
static void *other(void *argument) {
    while (!one) {
        while (!two) {
        }
        if (x == 1) break;
    }
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    two = 1;
    x = 1;
    x = 2;
    pthread_join(thread, NULL);
    return 0;
}
";

/// A loop that stores the current value waits like any other.
const STORED_AGAIN: &str = r"
#include <pthread.h>
#include <stdatomic.h>
static atomic_int one, two;
static void *other(void *argument) {
    while (!one) two = 1;
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    if (two) one = 1;
    two = 3;
    pthread_join(thread, NULL);
    return 0;
}
";

/// A thread that owns a read/write lock for writing gets an error when it locks again.
const TAKEN_AGAIN: &str = r"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int told;
static void *other(void *argument) {
    int got = pthread_rwlock_trywrlock(&lock) == 0;
    if (pthread_rwlock_rdlock(&lock) == EDEADLK) told++;
    if (got && pthread_rwlock_trywrlock(&lock) == EBUSY) told++;
    pthread_rwlock_unlock(&lock);
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, NULL);
    assert(told == 2);
    return 0;
}
";

/// Locking a destroyed lock is a failure, even if it is initialised again before the check.
const MADE_ANEW: &str = r"
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *first(void *argument) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_mutex_destroy(&lock);
    return argument;
}
static void *second(void *argument) {
    if (pthread_mutex_destroy(&lock) == 0) pthread_mutex_init(&lock, NULL);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_mutex_destroy(&lock);
    return argument;
}
int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
";

/// The same where trying to take it fails.
const TRIED_AND_MADE_ANEW: &str = r"
#include <pthread.h>
static int x;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void *other(void *argument) {
    if (x == 3) return NULL;
    for (int j = 0; j < 2; j++) {
        if (pthread_rwlock_destroy(&lock) == 0) pthread_rwlock_init(&lock, NULL);
    }
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    x = 1;
    if (pthread_rwlock_tryrdlock(&lock) == 0) pthread_rwlock_unlock(&lock);
    if (x == 1) pthread_rwlock_destroy(&lock);
    pthread_join(thread, NULL);
    return 0;
}
";

/// A failed operation on a destroyed semaphore does not change it.
const LEFT_AS_IT_WAS: &str = r"
#include <pthread.h>
#include <semaphore.h>
static int x;
static sem_t s;
static void *first(void *argument) {
    for (int j = 0; j < 2; j++) {
        sem_post(&s);
        sem_destroy(&s);
    }
    sem_post(&s);
    if (sem_trywait(&s) == 0) x++;
    return argument;
}
static void *second(void *argument) {
    for (int j = 0; j < 2; j++) {
        sem_wait(&s);
        sem_destroy(&s);
    }
    return argument;
}
int main(void) {
    pthread_t threads[2];
    sem_init(&s, 0, 0);
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
";

/// A thread that has read a value which contradicts the next assumption has not reached the assumption yet.
const READ_AND_EXCLUDED: &str = r"
#include <errno.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);
static int x;
static pthread_mutex_t d = PTHREAD_MUTEX_INITIALIZER;
static void *first(void *argument) {
    if (pthread_mutex_destroy(&d) == 0) x = 3;
    pthread_mutex_lock(&d);
    pthread_mutex_unlock(&d);
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    __VERIFIER_assume(x != 3);
    if (pthread_mutex_trylock(&d) == 0) pthread_mutex_unlock(&d);
    pthread_join(thread, NULL);
    return 0;
}
";

/// A store to one of several places, some of which others write.
const STORED_SOMEWHERE: &str = r"
#include <assert.h>
#include <pthread.h>
static int part[2], numbers[2];
static void *work(void *argument) {
    int number = *(int *)argument;
    part[number] = 1;
    assert(part[1] == number || part[1] == 1);
    return NULL;
}
int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    }
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
";

/// A block that others free before its size is read, while it is copied, and before it is freed here.
const FREED_WHILE_MOVED: &str = r"
#include <pthread.h>
#include <stdlib.h>
static char *block;
static void *other(void *argument) {
    free(block);
    return argument;
}
int main(void) {
    pthread_t thread;
    block = calloc(2, 1);
    pthread_create(&thread, NULL, other, NULL);
    char *moved = realloc(block, 4);
    pthread_join(thread, NULL);
    free(moved);
    return 0;
}
";

/// Reading the size of a block is an access to it too.
const FREED_BEFORE_MEASURED: &str = r"
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
static void *other(void *argument) {
    free(argument);
    return NULL;
}
int main(void) {
    pthread_t thread;
    void *block = malloc(0);
    pthread_create(&thread, NULL, other, block);
    malloc_usable_size(block);
    pthread_join(thread, NULL);
    return 0;
}
";

/// The size of a block cannot be read after freeing it, whatever others know.
const MEASURED_AFTER_FREE: &str = r"
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
static int late;
static void *other(void *argument) {
    late = 1;
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    char *block = malloc(3);
    if (late) free(block);
    size_t size = malloc_usable_size(block);
    pthread_join(thread, NULL);
    return size == 3 ? 0 : 1;
}
";

pub const ALL: [&str; 17] = [
    LOWERED_AGAIN,
    RELEASED_BY_OTHERS,
    RELEASED_IN_ONE_STEP,
    SAID_TWICE,
    ENDED_TWICE,
    TRIED_IN_VAIN,
    NESTED,
    STORED_AGAIN,
    TAKEN_AGAIN,
    MADE_ANEW,
    TRIED_AND_MADE_ANEW,
    LEFT_AS_IT_WAS,
    READ_AND_EXCLUDED,
    STORED_SOMEWHERE,
    FREED_WHILE_MOVED,
    FREED_BEFORE_MEASURED,
    MEASURED_AFTER_FREE,
];
