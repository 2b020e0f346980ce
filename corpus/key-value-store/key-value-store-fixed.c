// A key-value store with a read-write lock per bucket. rename() locks the bucket with the lower number first.
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 2
#define KEY_SIZE 8

struct pair {
    char key[KEY_SIZE];
    int value;
    struct pair *next;
};

struct bucket {
    pthread_rwlock_t lock;
    struct pair *first;
};

struct store {
    struct bucket buckets[BUCKETS];
};

static struct store store;

static unsigned bucket_of(const char *key)
{
    unsigned hash = 0;

    while (*key)
        hash = 31 * hash + (unsigned char)*key++;
    return hash % BUCKETS;
}

static struct pair **find(struct bucket *b, const char *key)
{
    struct pair **link = &b->first;

    while (*link && strcmp((*link)->key, key) != 0)
        link = &(*link)->next;
    return link;
}

static void store_init(struct store *s)
{
    for (int i = 0; i < BUCKETS; i++) {
        pthread_rwlock_init(&s->buckets[i].lock, NULL);
        s->buckets[i].first = NULL;
    }
}

static void store_put(struct store *s, const char *key, int value)
{
    struct bucket *b = &s->buckets[bucket_of(key)];

    pthread_rwlock_wrlock(&b->lock);
    struct pair *p = *find(b, key);
    if (p == NULL) {
        p = malloc(sizeof *p);
        strcpy(p->key, key);
        p->next = b->first;
        b->first = p;
    }
    p->value = value;
    pthread_rwlock_unlock(&b->lock);
}

static bool store_get(struct store *s, const char *key, int *value)
{
    struct bucket *b = &s->buckets[bucket_of(key)];

    pthread_rwlock_rdlock(&b->lock);
    struct pair *p = *find(b, key);
    if (p)
        *value = p->value;
    pthread_rwlock_unlock(&b->lock);
    return p != NULL;
}

static void lock_two(struct store *s, unsigned from, unsigned to)
{
    unsigned low = from < to ? from : to;
    unsigned high = from < to ? to : from;

    pthread_rwlock_wrlock(&s->buckets[low].lock);
    if (high != low)
        pthread_rwlock_wrlock(&s->buckets[high].lock);
}

static bool store_rename(struct store *s, const char *old_key, const char *new_key)
{
    unsigned from = bucket_of(old_key), to = bucket_of(new_key);
    bool renamed = false;

    lock_two(s, from, to);
    struct pair **link = find(&s->buckets[from], old_key);
    struct pair *p = *link;
    if (p && *find(&s->buckets[to], new_key) == NULL) {
        *link = p->next;
        strcpy(p->key, new_key);
        p->next = s->buckets[to].first;
        s->buckets[to].first = p;
        renamed = true;
    }
    if (to != from)
        pthread_rwlock_unlock(&s->buckets[to].lock);
    pthread_rwlock_unlock(&s->buckets[from].lock);
    return renamed;
}

static int store_clear(struct store *s)
{
    int count = 0;

    for (int i = 0; i < BUCKETS; i++) {
        while (s->buckets[i].first) {
            struct pair *p = s->buckets[i].first;
            s->buckets[i].first = p->next;
            free(p);
            count++;
        }
        pthread_rwlock_destroy(&s->buckets[i].lock);
    }
    return count;
}

static void *promote(void *arg)
{
    (void)arg;
    store_rename(&store, "beta", "a");
    return NULL;
}

static void *demote(void *arg)
{
    (void)arg;
    store_rename(&store, "c", "b");
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    int value = 0;

    assert(bucket_of("beta") != bucket_of("a") && bucket_of("c") != bucket_of("b"));
    assert(bucket_of("beta") == bucket_of("b"));
    store_init(&store);
    store_put(&store, "beta", 2);
    store_put(&store, "c", 3);
    pthread_create(&first, NULL, promote, NULL);
    pthread_create(&second, NULL, demote, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(store_get(&store, "a", &value) && value == 2);
    assert(store_get(&store, "b", &value) && value == 3);
    int count = store_clear(&store);
    assert(count == 2);
    return 0;
}
