// A cache of objects under update load. Keys are spread over shards; a shard has its lock, a hash table with chains, and
// a list in the order of use. Objects expire after some time, and the least recently used go when a shard is too large.
// Clients get, put and remove; a sweeper removes what has expired.
//
//     object-cache [SEED [OPERATIONS [CLIENTS]]]          OPERATIONS for each client
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHARDS 16
#define BUCKETS 1024
#define SHARD_BYTES (256 * 1024)
#define KEYS 40000
#define SMALLEST 24
#define LARGEST 480
#define LIFETIME 60000
#define TICKS_PER_SWEEP 100000
#define MAX_CLIENTS 16

struct object {
    struct object *next_in_bucket;
    struct object *newer;
    struct object *older;
    uint64_t key;
    uint64_t expires;
    uint32_t hash;
    uint32_t size;
    unsigned char value[];
};

struct shard {
    pthread_mutex_t lock;
    struct object *buckets[BUCKETS];
    struct object *newest;
    struct object *oldest;
    size_t bytes;
    uint64_t objects;
    uint64_t evicted;
    uint64_t expired;
};

struct cache {
    struct shard shards[SHARDS];
    // The time of the cache: operations so far.
    atomic_uint_fast64_t ticks;
    pthread_mutex_t sweep_lock;
    pthread_cond_t sweep_due;
    uint64_t sweeps_due;
    bool closing;
};

struct client {
    pthread_t thread;
    struct cache *cache;
    uint64_t random;
    uint64_t operations;
    uint64_t hits;
    uint64_t misses;
    uint64_t puts;
    uint64_t removed;
    uint64_t broken;
};

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint32_t hash_key(uint64_t key)
{
    key *= 0xff51afd7ed558ccdu;
    key ^= key >> 33;
    key *= 0xc4ceb9fe1a85ec53u;
    return key >> 32;
}

static struct shard *shard_of(struct cache *cache, uint32_t hash)
{
    return &cache->shards[hash % SHARDS];
}

static struct object **bucket_of(struct shard *shard, uint32_t hash)
{
    return &shard->buckets[hash / SHARDS % BUCKETS];
}

// The list in order of use

static void unlink_used(struct shard *shard, struct object *object)
{
    if (object->newer != NULL)
        object->newer->older = object->older;
    else
        shard->newest = object->older;
    if (object->older != NULL)
        object->older->newer = object->newer;
    else
        shard->oldest = object->newer;
}

static void link_newest(struct shard *shard, struct object *object)
{
    object->newer = NULL;
    object->older = shard->newest;
    if (shard->newest != NULL)
        shard->newest->newer = object;
    else
        shard->oldest = object;
    shard->newest = object;
}

// The table

static struct object **find(struct shard *shard, uint64_t key, uint32_t hash)
{
    struct object **link = bucket_of(shard, hash);

    while (*link != NULL && ((*link)->hash != hash || (*link)->key != key))
        link = &(*link)->next_in_bucket;
    return link;
}

static void drop(struct shard *shard, struct object **link)
{
    struct object *object = *link;

    *link = object->next_in_bucket;
    unlink_used(shard, object);
    shard->bytes -= sizeof *object + object->size;
    shard->objects--;
    free(object);
}

static void make_room(struct shard *shard)
{
    while (shard->bytes > SHARD_BYTES) {
        struct object *oldest = shard->oldest;

        drop(shard, find(shard, oldest->key, oldest->hash));
        shard->evicted++;
    }
}

// Copies the value and returns its size, or 0 if the cache does not have it.
static uint32_t cache_get(struct cache *cache, uint64_t key, unsigned char *value)
{
    uint32_t hash = hash_key(key);
    struct shard *shard = shard_of(cache, hash);
    uint64_t now = atomic_load_explicit(&cache->ticks, memory_order_relaxed);
    uint32_t size = 0;

    pthread_mutex_lock(&shard->lock);
    struct object **link = find(shard, key, hash);
    struct object *object = *link;
    if (object != NULL && object->expires <= now) {
        drop(shard, link);
        shard->expired++;
    } else if (object != NULL) {
        size = object->size;
        memcpy(value, object->value, size);
        if (object != shard->newest) {
            unlink_used(shard, object);
            link_newest(shard, object);
        }
    }
    pthread_mutex_unlock(&shard->lock);
    return size;
}

static bool cache_put(struct cache *cache, uint64_t key, const unsigned char *value, uint32_t size)
{
    uint32_t hash = hash_key(key);
    struct shard *shard = shard_of(cache, hash);
    struct object *object = malloc(sizeof *object + size);

    if (object == NULL)
        return false;
    object->key = key;
    object->hash = hash;
    object->size = size;
    object->expires = atomic_load_explicit(&cache->ticks, memory_order_relaxed) + LIFETIME;
    memcpy(object->value, value, size);

    pthread_mutex_lock(&shard->lock);
    struct object **link = find(shard, key, hash);
    if (*link != NULL)
        drop(shard, link);
    object->next_in_bucket = *bucket_of(shard, hash);
    *bucket_of(shard, hash) = object;
    link_newest(shard, object);
    shard->bytes += sizeof *object + size;
    shard->objects++;
    make_room(shard);
    pthread_mutex_unlock(&shard->lock);
    return true;
}

static bool cache_remove(struct cache *cache, uint64_t key)
{
    uint32_t hash = hash_key(key);
    struct shard *shard = shard_of(cache, hash);
    bool found;

    pthread_mutex_lock(&shard->lock);
    struct object **link = find(shard, key, hash);
    found = *link != NULL;
    if (found)
        drop(shard, link);
    pthread_mutex_unlock(&shard->lock);
    return found;
}

static void sweep(struct cache *cache)
{
    for (unsigned i = 0; i < SHARDS; i++) {
        struct shard *shard = &cache->shards[i];

        pthread_mutex_lock(&shard->lock);
        uint64_t now = atomic_load_explicit(&cache->ticks, memory_order_relaxed);
        for (unsigned bucket = 0; bucket < BUCKETS; bucket++) {
            struct object **link = &shard->buckets[bucket];

            while (*link != NULL) {
                if ((*link)->expires <= now) {
                    drop(shard, link);
                    shard->expired++;
                } else {
                    link = &(*link)->next_in_bucket;
                }
            }
        }
        pthread_mutex_unlock(&shard->lock);
    }
}

static void *run_sweeper(void *argument)
{
    struct cache *cache = argument;
    uint64_t done = 0;

    pthread_mutex_lock(&cache->sweep_lock);
    while (!cache->closing) {
        if (done == cache->sweeps_due) {
            pthread_cond_wait(&cache->sweep_due, &cache->sweep_lock);
            continue;
        }
        done = cache->sweeps_due;
        pthread_mutex_unlock(&cache->sweep_lock);
        sweep(cache);
        pthread_mutex_lock(&cache->sweep_lock);
    }
    pthread_mutex_unlock(&cache->sweep_lock);
    return NULL;
}

// Time goes on; now and then a sweep is due.
static void tick(struct cache *cache)
{
    uint64_t now = atomic_fetch_add_explicit(&cache->ticks, 1, memory_order_relaxed) + 1;

    if (now % TICKS_PER_SWEEP == 0) {
        pthread_mutex_lock(&cache->sweep_lock);
        cache->sweeps_due++;
        pthread_cond_signal(&cache->sweep_due);
        pthread_mutex_unlock(&cache->sweep_lock);
    }
}

// Few keys are asked for often: small products of two numbers are more frequent than large ones.
static uint64_t pick_key(uint64_t *random)
{
    uint64_t value = next_random(random);

    return (value & 0xffffffff) % KEYS * ((value >> 32) % KEYS) / KEYS;
}

// What belongs to a key: bytes that follow from it, so that whoever gets them can tell.
static uint32_t make_value(uint64_t key, unsigned char *value)
{
    uint64_t state = key;
    uint32_t size = SMALLEST + hash_key(key) % (LARGEST - SMALLEST);

    for (uint32_t i = 0; i < size; i += sizeof state) {
        uint64_t word = next_random(&state);

        memcpy(value + i, &word, size - i < sizeof word ? size - i : sizeof word);
    }
    return size;
}

static bool is_value_of(uint64_t key, const unsigned char *value, uint32_t size)
{
    unsigned char expected[LARGEST];

    return make_value(key, expected) == size && memcmp(expected, value, size) == 0;
}

static void *run_client(void *argument)
{
    struct client *client = argument;
    unsigned char value[LARGEST];

    for (uint64_t i = 0; i < client->operations; i++) {
        uint64_t key = pick_key(&client->random);
        unsigned choice = next_random(&client->random) % 100;

        tick(client->cache);
        if (choice < 65) {
            uint32_t size = cache_get(client->cache, key, value);

            if (size > 0) {
                client->hits++;
                if (!is_value_of(key, value, size))
                    client->broken++;
                continue;
            }
            client->misses++;
        } else if (choice >= 95) {
            if (cache_remove(client->cache, key))
                client->removed++;
            continue;
        }
        if (cache_put(client->cache, key, value, make_value(key, value)))
            client->puts++;
    }
    return NULL;
}

static struct cache *new_cache(void)
{
    struct cache *cache = calloc(1, sizeof *cache);

    if (cache == NULL)
        exit(2);
    for (unsigned i = 0; i < SHARDS; i++)
        pthread_mutex_init(&cache->shards[i].lock, NULL);
    pthread_mutex_init(&cache->sweep_lock, NULL);
    pthread_cond_init(&cache->sweep_due, NULL);
    return cache;
}

// Whether each list holds what its table counts. Frees all objects.
static bool close_cache(struct cache *cache)
{
    bool right = true;

    for (unsigned i = 0; i < SHARDS; i++) {
        struct shard *shard = &cache->shards[i];
        uint64_t objects = 0;
        size_t bytes = 0;

        for (struct object *object = shard->newest; object != NULL; object = object->older) {
            objects++;
            bytes += sizeof *object + object->size;
        }
        right = right && objects == shard->objects && bytes == shard->bytes;
        while (shard->newest != NULL)
            drop(shard, find(shard, shard->newest->key, shard->newest->hash));
    }
    free(cache);
    return right;
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t operations = argc > 2 ? strtoull(argv[2], NULL, 10) : 1500000;
    unsigned count = argc > 3 ? strtoul(argv[3], NULL, 10) : 2;
    struct client clients[MAX_CLIENTS] = {0};
    struct cache *cache = new_cache();
    uint64_t hits = 0, misses = 0, puts = 0, broken = 0;
    pthread_t sweeper;
    bool right;

    if (count == 0 || count > MAX_CLIENTS) {
        fprintf(stderr, "usage: object-cache [SEED [OPERATIONS [CLIENTS]]]\n");
        return 2;
    }
    if (pthread_create(&sweeper, NULL, run_sweeper, cache) != 0)
        return 2;
    for (unsigned i = 0; i < count; i++) {
        clients[i].cache = cache;
        clients[i].random = seed * MAX_CLIENTS + i;
        clients[i].operations = operations;
        if (pthread_create(&clients[i].thread, NULL, run_client, &clients[i]) != 0)
            return 2;
    }
    for (unsigned i = 0; i < count; i++) {
        pthread_join(clients[i].thread, NULL);
        hits += clients[i].hits;
        misses += clients[i].misses;
        puts += clients[i].puts;
        broken += clients[i].broken;
    }
    pthread_mutex_lock(&cache->sweep_lock);
    cache->closing = true;
    pthread_cond_signal(&cache->sweep_due);
    pthread_mutex_unlock(&cache->sweep_lock);
    pthread_join(sweeper, NULL);

    right = close_cache(cache) && broken == 0;
    printf("%llu hits, %llu misses, %llu puts, %llu broken: %s\n", (unsigned long long)hits,
           (unsigned long long)misses, (unsigned long long)puts, (unsigned long long)broken,
           right ? "consistent" : "inconsistent");
    return right ? 0 : 1;
}
