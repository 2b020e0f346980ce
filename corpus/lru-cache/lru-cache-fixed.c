// A least-recently-used cache of rendered pages. get() finds an entry and moves it to the front in one critical
// section.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#define BUCKETS 4
#define CAPACITY 2

struct entry {
    int key, value;
    struct entry *chain;
    struct entry *newer, *older;
};

struct cache {
    pthread_mutex_t lock;
    struct entry *buckets[BUCKETS];
    struct entry *newest, *oldest;
    int size;
    int hits, misses;
};

static struct cache cache = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void list_remove(struct cache *c, struct entry *e)
{
    if (e->newer)
        e->newer->older = e->older;
    else
        c->newest = e->older;
    if (e->older)
        e->older->newer = e->newer;
    else
        c->oldest = e->newer;
}

static void list_push(struct cache *c, struct entry *e)
{
    e->newer = NULL;
    e->older = c->newest;
    if (c->newest)
        c->newest->newer = e;
    else
        c->oldest = e;
    c->newest = e;
}

static struct entry *find(struct cache *c, int key)
{
    struct entry *e = c->buckets[key % BUCKETS];

    while (e && e->key != key)
        e = e->chain;
    return e;
}

static void evict_oldest(struct cache *c)
{
    struct entry *e = c->oldest;
    struct entry **link = &c->buckets[e->key % BUCKETS];

    while (*link != e)
        link = &(*link)->chain;
    *link = e->chain;
    list_remove(c, e);
    c->size--;
    free(e);
}

static int get(struct cache *c, int key, int fallback)
{
    int value = fallback;

    pthread_mutex_lock(&c->lock);
    struct entry *e = find(c, key);
    if (e)
        c->hits++;
    else
        c->misses++;
    if (e) {
        list_remove(c, e);
        list_push(c, e);
        value = e->value;
    }
    pthread_mutex_unlock(&c->lock);
    return value;
}

static void put(struct cache *c, int key, int value)
{
    pthread_mutex_lock(&c->lock);
    struct entry *e = find(c, key);
    if (e) {
        e->value = value;
        list_remove(c, e);
    } else {
        if (c->size == CAPACITY)
            evict_oldest(c);
        e = malloc(sizeof *e);
        e->key = key;
        e->value = value;
        e->chain = c->buckets[key % BUCKETS];
        c->buckets[key % BUCKETS] = e;
        c->size++;
    }
    list_push(c, e);
    pthread_mutex_unlock(&c->lock);
}

static void clear(struct cache *c)
{
    while (c->oldest)
        evict_oldest(c);
}

static void *reader(void *arg)
{
    (void)arg;
    int value = get(&cache, 1, 10);
    assert(value == 10);
    return NULL;
}

static void *renderer(void *arg)
{
    (void)arg;
    put(&cache, 5, 50);
    put(&cache, 3, 30);
    return NULL;
}

int main(void)
{
    pthread_t first, second;

    put(&cache, 1, 10);
    put(&cache, 2, 20);
    pthread_create(&first, NULL, reader, NULL);
    pthread_create(&second, NULL, renderer, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(cache.size == CAPACITY && cache.hits + cache.misses == 1);
    clear(&cache);
    return 0;
}
