/*
 * A cache of rendered pages.  Entries are shared: the cache holds one
 * reference to each entry in its table, each user holds one of its own.
 */
#ifndef CACHE_H
#define CACHE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define CACHE_BUCKETS 4

typedef struct Entry {
  atomic_int refs;
  char *key;
  char *body;
  size_t body_len;
  unsigned hash;
  /* Owned by the cache, used under its lock. */
  struct Entry *chain;
  struct Entry *newer;
  struct Entry *older;
} Entry;

Entry *EntryNew(const char *key, char *body);
void EntryRetain(Entry *e);
void EntryRelease(Entry *e);
unsigned EntryHash(const char *key);
int EntryLiveCount(void);

typedef char *(*CacheLoader)(const char *key);

typedef struct CacheStats {
  unsigned hits;
  unsigned misses;
  unsigned evictions;
  unsigned drops;
} CacheStats;

typedef struct Cache {
  pthread_mutex_t lock;
  CacheLoader loader;
  Entry *buckets[CACHE_BUCKETS];
  Entry *newest;
  Entry *oldest;
  size_t count;
  size_t capacity;
  CacheStats stats;
} Cache;

int CacheInit(Cache *c, size_t capacity, CacheLoader loader);
void CacheDestroy(Cache *c);
Entry *CacheGet(Cache *c, const char *key);
int CacheDrop(Cache *c, const char *key);
void CacheGetStats(Cache *c, CacheStats *out);
size_t CacheCount(Cache *c);

#endif
