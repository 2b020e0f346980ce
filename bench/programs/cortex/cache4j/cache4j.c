// A cache that two workers fill and ask, and a cleaner that removes old entries. The cleaner sleeps in a try block and may
// be interrupted there only. A worker interrupts it after each round; when it was woken by another one and cleans, the
// interrupt comes outside of the try block.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef ROUNDS
#define ROUNDS 1
#endif

enum { WORKERS = 2, SLOTS = 4, KEYS = 12 };

struct entry {
    int key, value;
    int uses, stamp, age;
};

struct cache {
    pthread_mutex_t lock;
    struct entry entries[SLOTS];
    int clock, hits, misses, evictions, cleaned;
};

struct cleaner {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int in_try_block, interrupted;
};

static struct cache cache = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct cleaner cleaner = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};

static void put(struct cache *to, int key, int value) {
    struct entry *entry = &to->entries[key % SLOTS];

    pthread_mutex_lock(&to->lock);
    if (entry->key != key) {
        to->evictions++;
    }
    entry->key = key;
    entry->value = value;
    entry->stamp = ++to->clock;
    entry->age = 0;
    pthread_mutex_unlock(&to->lock);
}

static int get(struct cache *from, int key) {
    struct entry *entry = &from->entries[key % SLOTS];
    int value = -1;

    pthread_mutex_lock(&from->lock);
    if (entry->key == key) {
        value = entry->value;
        entry->uses++;
        from->hits++;
    } else {
        from->misses++;
    }
    pthread_mutex_unlock(&from->lock);
    return value;
}

static void clean(struct cache *which) {
    for (int slot = 0; slot < SLOTS; slot++) {
        struct entry *entry = &which->entries[slot];

        pthread_mutex_lock(&which->lock);
        if (entry->age > 0) {
            entry->key = 0;
            which->cleaned++;
        }
        entry->age++;
        pthread_mutex_unlock(&which->lock);
    }
}

static void interrupt_cleaner(void) {
    assert(cleaner.in_try_block);
    pthread_mutex_lock(&cleaner.lock);
    cleaner.interrupted = 1;
    pthread_cond_broadcast(&cleaner.changed);
    pthread_mutex_unlock(&cleaner.lock);
}

static void *work(void *argument) {
    int base = *(int *)argument;

    for (int round = 0; round < ROUNDS; round++) {
        for (int key = 1; key <= KEYS; key++) {
            put(&cache, base + key, round);
            get(&cache, base + key);
        }
        interrupt_cleaner();
    }
    return NULL;
}

static void enter_try_block(void) {
    pthread_mutex_lock(&cleaner.lock);
    cleaner.in_try_block = 1;
    pthread_cond_broadcast(&cleaner.changed);
    pthread_mutex_unlock(&cleaner.lock);
}

static void await(const int *flag) {
    pthread_mutex_lock(&cleaner.lock);
    while (!*flag) {
        pthread_cond_wait(&cleaner.changed, &cleaner.lock);
    }
    pthread_mutex_unlock(&cleaner.lock);
}

static void *run_cleaner(void *unused) {
    (void)unused;
    enter_try_block();
    await(&cleaner.interrupted);
    cleaner.in_try_block = 0;
    clean(&cache);
    clean(&cache);
    enter_try_block();
    return NULL;
}

int main(void) {
    pthread_t workers[WORKERS], cleaning;
    int bases[WORKERS] = {0, 100};

    pthread_create(&cleaning, NULL, run_cleaner, NULL);
    await(&cleaner.in_try_block);
    for (int i = 0; i < WORKERS; i++) {
        pthread_create(&workers[i], NULL, work, &bases[i]);
    }
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(workers[i], NULL);
    }
    pthread_join(cleaning, NULL);
    return 0;
}
