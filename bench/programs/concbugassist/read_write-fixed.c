// A lock for readers and writers made of two counters. Tests and marks happen under one mutex: whoever was let in
// excludes the others.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { WRITERS = 2, READERS = 2 };

struct read_write_lock {
    pthread_mutex_t mutex;
    int writing;
    int reading;
};

struct point {
    int x;
    int y;
};

static struct read_write_lock lock = {PTHREAD_MUTEX_INITIALIZER, 0, 0};
static struct point shared;

/* Lets a reader in unless somebody writes. Returns whether it is in. */
static int try_read(struct read_write_lock *lock) {
    int entered = 0;

    pthread_mutex_lock(&lock->mutex);
    if (lock->writing == 0) {
        lock->reading++;
        entered = 1;
    }
    pthread_mutex_unlock(&lock->mutex);
    return entered;
}

static void end_read(struct read_write_lock *lock) {
    pthread_mutex_lock(&lock->mutex);
    lock->reading--;
    pthread_mutex_unlock(&lock->mutex);
}

/* Lets a writer in if nobody else is. Returns whether it is in. */
static int try_write(struct read_write_lock *lock) {
    int entered = 0;

    pthread_mutex_lock(&lock->mutex);
    if (lock->writing == 0 && lock->reading == 0) {
        lock->writing++;
        entered = 1;
    }
    pthread_mutex_unlock(&lock->mutex);
    return entered;
}

static void end_write(struct read_write_lock *lock) {
    pthread_mutex_lock(&lock->mutex);
    lock->writing--;
    pthread_mutex_unlock(&lock->mutex);
}

static void move_to(struct point *point, int place) {
    point->x = place;
    point->y = place;
}

static int distance(const struct point *point) {
    int x = point->x;
    int y = point->y;

    return x > y ? x - y : y - x;
}

static void *write_point(void *argument) {
    int place = *(int *)argument;

    if (!try_write(&lock)) {
        return NULL;
    }
    move_to(&shared, place);
    end_write(&lock);
    return NULL;
}

static void *read_point(void *argument) {
    (void)argument;
    if (!try_read(&lock)) {
        return NULL;
    }
    assert(distance(&shared) == 0);
    end_read(&lock);
    return NULL;
}

int main(void) {
    pthread_t writers[WRITERS];
    pthread_t readers[READERS];
    int places[WRITERS];

    for (int i = 0; i < WRITERS; i++) {
        places[i] = i + 1;
        pthread_create(&writers[i], NULL, write_point, &places[i]);
    }
    for (int i = 0; i < READERS; i++) {
        pthread_create(&readers[i], NULL, read_point, NULL);
    }

    for (int i = 0; i < WRITERS; i++) {
        pthread_join(writers[i], NULL);
    }
    for (int i = 0; i < READERS; i++) {
        pthread_join(readers[i], NULL);
    }
    assert(lock.reading == 0);
    return 0;
}
