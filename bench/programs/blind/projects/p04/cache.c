#include "cache.h"

#include <stdlib.h>
#include <string.h>

int CacheInit(Cache *c, size_t capacity, CacheLoader loader) {
  memset(c->buckets, 0, sizeof(c->buckets));
  memset(&c->stats, 0, sizeof(c->stats));
  c->newest = NULL;
  c->oldest = NULL;
  c->count = 0;
  c->capacity = capacity;
  c->loader = loader;
  return pthread_mutex_init(&c->lock, NULL);
}

/* The functions below, up to CacheGet, need the lock. */

static void ListRemove(Cache *c, Entry *e) {
  if (e->newer != NULL) {
    e->newer->older = e->older;
  } else {
    c->newest = e->older;
  }
  if (e->older != NULL) {
    e->older->newer = e->newer;
  } else {
    c->oldest = e->newer;
  }
  e->newer = NULL;
  e->older = NULL;
}

static void ListPushNewest(Cache *c, Entry *e) {
  e->newer = NULL;
  e->older = c->newest;
  if (c->newest != NULL) {
    c->newest->newer = e;
  } else {
    c->oldest = e;
  }
  c->newest = e;
}

static Entry *TableFind(Cache *c, const char *key, unsigned hash) {
  Entry *e = c->buckets[hash % CACHE_BUCKETS];

  while (e != NULL && (e->hash != hash || strcmp(e->key, key) != 0)) {
    e = e->chain;
  }
  return e;
}

static void TableInsert(Cache *c, Entry *e) {
  Entry **slot = &c->buckets[e->hash % CACHE_BUCKETS];

  e->chain = *slot;
  *slot = e;
  c->count++;
}

static void TableRemove(Cache *c, Entry *e) {
  Entry **slot = &c->buckets[e->hash % CACHE_BUCKETS];

  while (*slot != e) {
    slot = &(*slot)->chain;
  }
  *slot = e->chain;
  e->chain = NULL;
  c->count--;
}

static Entry *UnlinkOldest(Cache *c) {
  Entry *e = c->oldest;

  if (e != NULL) {
    ListRemove(c, e);
    TableRemove(c, e);
  }
  return e;
}

/* Returns the entry with a reference for the caller, or NULL. */
static Entry *LookUp(Cache *c, const char *key, unsigned hash) {
  Entry *e = TableFind(c, key, hash);

  if (e != NULL) {
    ListRemove(c, e);
    ListPushNewest(c, e);
    EntryRetain(e);
  }
  return e;
}

/*
 * Returns an entry that the caller has to release.  Pages are rendered
 * without the lock, so two users may render the same page; the first one to
 * come back wins.
 */
Entry *CacheGet(Cache *c, const char *key) {
  unsigned hash = EntryHash(key);
  Entry *evicted = NULL;
  Entry *fresh;
  Entry *e;
  char *body;

  pthread_mutex_lock(&c->lock);
  e = LookUp(c, key, hash);
  if (e != NULL) {
    c->stats.hits++;
  } else {
    c->stats.misses++;
  }
  pthread_mutex_unlock(&c->lock);
  if (e != NULL) return e;

  body = c->loader(key);
  if (body == NULL) return NULL;
  fresh = EntryNew(key, body);
  if (fresh == NULL) return NULL;

  pthread_mutex_lock(&c->lock);
  e = LookUp(c, key, hash);
  if (e == NULL) {
    EntryRetain(fresh);
    TableInsert(c, fresh);
    ListPushNewest(c, fresh);
    if (c->count > c->capacity) {
      evicted = UnlinkOldest(c);
      c->stats.evictions++;
    }
  }
  pthread_mutex_unlock(&c->lock);

  if (evicted != NULL) EntryRelease(evicted);
  if (e != NULL) {
    EntryRelease(fresh);
    return e;
  }
  return fresh;
}

/* Forgets a page, for instance because its source has changed. */
int CacheDrop(Cache *c, const char *key) {
  unsigned hash = EntryHash(key);
  Entry *e;

  pthread_mutex_lock(&c->lock);
  e = TableFind(c, key, hash);
  if (e != NULL) {
    ListRemove(c, e);
    TableRemove(c, e);
    c->stats.drops++;
  }
  pthread_mutex_unlock(&c->lock);
  if (e == NULL) return 0;
  EntryRelease(e);
  return 1;
}

void CacheGetStats(Cache *c, CacheStats *out) {
  pthread_mutex_lock(&c->lock);
  *out = c->stats;
  pthread_mutex_unlock(&c->lock);
}

size_t CacheCount(Cache *c) {
  size_t n;

  pthread_mutex_lock(&c->lock);
  n = c->count;
  pthread_mutex_unlock(&c->lock);
  return n;
}

void CacheDestroy(Cache *c) {
  Entry *e;

  pthread_mutex_lock(&c->lock);
  while ((e = UnlinkOldest(c)) != NULL) {
    EntryRelease(e);
  }
  pthread_mutex_unlock(&c->lock);
  pthread_mutex_destroy(&c->lock);
}
