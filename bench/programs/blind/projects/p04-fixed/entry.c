#include "cache.h"

#include <stdlib.h>
#include <string.h>

static atomic_int live_entries;

unsigned EntryHash(const char *key) {
  unsigned h = 2166136261u;

  for (; *key != '\0'; key++) {
    h ^= (unsigned char)*key;
    h *= 16777619u;
  }
  return h;
}

/* Takes over body.  The caller gets the first reference. */
Entry *EntryNew(const char *key, char *body) {
  size_t n = strlen(key) + 1;
  Entry *e = calloc(1, sizeof(*e));

  if (e == NULL) {
    free(body);
    return NULL;
  }
  e->key = malloc(n);
  if (e->key == NULL) {
    free(body);
    free(e);
    return NULL;
  }
  memcpy(e->key, key, n);
  e->body = body;
  e->body_len = strlen(body);
  e->hash = EntryHash(key);
  atomic_init(&e->refs, 1);
  atomic_fetch_add(&live_entries, 1);
  return e;
}

static void EntryFree(Entry *e) {
  free(e->key);
  free(e->body);
  free(e);
  atomic_fetch_sub(&live_entries, 1);
}

/* Only for those who have a reference already, or hold the cache's lock. */
void EntryRetain(Entry *e) { atomic_fetch_add(&e->refs, 1); }

void EntryRelease(Entry *e) {
  if (atomic_fetch_sub(&e->refs, 1) == 1) {
    EntryFree(e);
  }
}

int EntryLiveCount(void) { return atomic_load(&live_entries); }
