// A cache with two users and a cleaner. The cleaner may be interrupted only inside of its try block, but the flag that says
// so is changed a moment after the block is left.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef ROUNDS
#define ROUNDS 3
#endif
enum { SLOTS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int keys[SLOTS], values[SLOTS];
static int hits, misses, evictions, stopped, in_try_block, interrupted;

static void put(int key, int value) {
    pthread_mutex_lock(&lock);
    int slot = key % SLOTS;
    if (keys[slot] != key) evictions++;
    keys[slot] = key;
    values[slot] = value;
    pthread_mutex_unlock(&lock);
}

static int get(int key) {
    pthread_mutex_lock(&lock);
    int slot = key % SLOTS;
    int found = keys[slot] == key ? values[slot] : -1;
    if (found < 0) misses++;
    else hits++;
    pthread_mutex_unlock(&lock);
    return found;
}

static void *use(void *argument) {
    int base = (int)(size_t)argument;
    for (int round = 0; round < ROUNDS; round++) {
        put(base + round, round);
        get(base + round);
    }
    return NULL;
}

static void *clean(void *argument) {
    (void)argument;
    int stop = 0;
    for (int round = 0; round < 6 && !stop; round++) {
        in_try_block = 1;
        pthread_mutex_lock(&lock);
        while (!stopped) pthread_cond_wait(&changed, &lock);
        for (int i = 0; i < SLOTS; i++) keys[i] = 0;
        stop = stopped > 4;
        pthread_mutex_unlock(&lock);
        in_try_block = 0;
    }
    return NULL;
}

int main(void) {
    pthread_t users[2], cleaner;
    pthread_create(&cleaner, NULL, clean, NULL);
    for (int i = 0; i < 2; i++) pthread_create(&users[i], NULL, use, (void *)(size_t)(1 + 100 * i));
    for (int i = 0; i < 2; i++) pthread_join(users[i], NULL);
    for (int tries = 0; tries < 6; tries++) {
        pthread_mutex_lock(&lock);
        stopped++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
        if (in_try_block) {
            interrupted++;
            assert(in_try_block);
        }
    }
    pthread_join(cleaner, NULL);
    return 0;
}
