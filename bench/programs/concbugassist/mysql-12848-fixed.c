// Resizing the query cache stores size and memory under the cache's lock, which a query takes, too: it finds a cache
// that is switched off, or one with memory.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

enum {
    HEADER = 1,
    SMALLEST = 4,
    WANTED = 6,
    RESULT_ROWS = 2
};

struct query_cache {
    pthread_mutex_t lock;
    int *memory;
    int size;
    int used;
    int hits;
    int refused;
};

struct query {
    int key;
    int rows[RESULT_ROWS];
};

static struct query_cache cache = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Memory. */

static int rounded(int size) {
    if (size == 0) {
        return 0;
    }
    if (size < SMALLEST) {
        return SMALLEST;
    }
    return size;
}

static int *make_memory(int size) {
    int *memory = malloc((size_t)size * sizeof *memory);

    if (memory == NULL) {
        abort();
    }
    for (int i = 0; i < size; i++) {
        memory[i] = 0;
    }
    return memory;
}

static void free_memory(struct query_cache *cache) {
    free(cache->memory);
    cache->memory = NULL;
    cache->used = 0;
}

/* The size is set by an administrator, while queries run. */
static int resize(struct query_cache *cache, int wanted) {
    int size = rounded(wanted);

    pthread_mutex_lock(&cache->lock);
    cache->size = size;
    if (size > 0) {
        cache->memory = make_memory(size);
        cache->used = 0;
    }
    pthread_mutex_unlock(&cache->lock);
    return size;
}

/* Queries. */

static int needed(const struct query *query) {
    (void)query;
    return HEADER + RESULT_ROWS;
}

static int is_enabled(const struct query_cache *cache) {
    return cache->size > 0;
}

static void write_block(struct query_cache *cache, const struct query *query) {
    int *block = cache->memory + cache->used;

    block[0] = query->key;
    for (int i = 0; i < RESULT_ROWS; i++) {
        block[HEADER + i] = query->rows[i];
    }
    cache->used += needed(query);
}

static void store_query(struct query_cache *cache, const struct query *query) {
    pthread_mutex_lock(&cache->lock);
    if (!is_enabled(cache) || cache->size < needed(query)) {
        cache->refused++;
    } else {
        write_block(cache, query);
    }
    pthread_mutex_unlock(&cache->lock);
}

static int find_query(struct query_cache *cache, int key) {
    if (cache->used == 0 || cache->memory[0] != key) {
        return 0;
    }
    cache->hits++;
    return 1;
}

static void *client(void *argument) {
    struct query query = {17, {3, 5}};

    (void)argument;
    store_query(&cache, &query);
    return NULL;
}

int main(void) {
    pthread_t thread;
    int size;

    pthread_create(&thread, NULL, client, NULL);
    size = resize(&cache, WANTED);
    pthread_join(thread, NULL);

    assert(size == WANTED);
    find_query(&cache, 17);
    free_memory(&cache);
    return 0;
}
