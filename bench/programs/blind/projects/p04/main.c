/* Two visitors read pages while an editor makes the cache forget some. */
#include "cache.h"
#include "render.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VISITORS 2
#define VISITS 2
#define EDITS 2

typedef struct Visitor {
  pthread_t thread;
  Cache *cache;
  const char *const *route;
  size_t bytes;
  unsigned pages;
} Visitor;

typedef struct Editor {
  pthread_t thread;
  Cache *cache;
  unsigned dropped;
} Editor;

static const char *const kFirstRoute[VISITS] = {"home", "shop"};
static const char *const kSecondRoute[VISITS] = {"home", "home"};

static const char kHomeHtml[] = "<h1>Home</h1><p>Tea &amp; Co</p>";
static const char kShopHtml[] = "<h1>Shop</h1><p>5 &lt; 6</p>";

static const char *ExpectedHtml(const char *name) {
  return strcmp(name, "home") == 0 ? kHomeHtml : kShopHtml;
}

static void *VisitorMain(void *arg) {
  Visitor *v = arg;
  int i;

  for (i = 0; i < VISITS; i++) {
    const char *name = v->route[i];
    Entry *e = CacheGet(v->cache, name);

    assert(e != NULL);
    assert(strcmp(e->key, name) == 0);
    assert(strcmp(e->body, ExpectedHtml(name)) == 0);
    v->bytes += e->body_len;
    v->pages++;
    EntryRelease(e);
  }
  return NULL;
}

static void *EditorMain(void *arg) {
  Editor *ed = arg;
  int i;

  for (i = 0; i < EDITS; i++) {
    if (CacheDrop(ed->cache, "home")) ed->dropped++;
  }
  return NULL;
}

static void CheckRender(void) {
  StrBuf sb;
  Binding who = {"who", "<you>"};
  char *s;
  int rc;

  StrBufInit(&sb);
  rc = TemplateExpand(&sb, "hi {who}", &who, 1);
  assert(rc == 0);
  StrBufPutUnsigned(&sb, 120);
  s = StrBufDetach(&sb);
  assert(s != NULL && strcmp(s, "hi &lt;you&gt;120") == 0);
  free(s);

  StrBufInit(&sb);
  rc = TemplateExpand(&sb, "{nobody}", &who, 1);
  assert(rc == -1);
  (void)rc;
  StrBufFree(&sb);

  s = RenderPage("missing");
  assert(s == NULL);
}

static void CheckEviction(void) {
  Cache c;
  CacheStats st;
  Entry *kept;
  size_t i;
  int rc;

  rc = CacheInit(&c, 2, RenderPage);
  assert(rc == 0);
  (void)rc;
  kept = CacheGet(&c, RenderPageName(0));
  assert(kept != NULL);
  for (i = 1; i < RenderPageCount(); i++) {
    Entry *e = CacheGet(&c, RenderPageName(i));

    assert(e != NULL);
    EntryRelease(e);
  }
  assert(CacheCount(&c) == 2);
  CacheGetStats(&c, &st);
  assert(st.evictions == 1 && st.misses == 3);
  assert(strcmp(kept->body, kHomeHtml) == 0);
  assert(EntryLiveCount() == 3);
  EntryRelease(kept);
  CacheDestroy(&c);
  assert(EntryLiveCount() == 0);
}

int main(void) {
  Cache cache;
  CacheStats st;
  Visitor visitors[VISITORS] = {{.route = kFirstRoute},
                                {.route = kSecondRoute}};
  Editor editor = {.dropped = 0};
  size_t home_len = strlen(kHomeHtml);
  size_t shop_len = strlen(kShopHtml);
  int i;
  int rc;

  CheckRender();
  CheckEviction();

  rc = CacheInit(&cache, 2, RenderPage);
  assert(rc == 0);
  for (i = 0; i < VISITORS; i++) {
    visitors[i].cache = &cache;
    rc = pthread_create(&visitors[i].thread, NULL, VisitorMain, &visitors[i]);
    assert(rc == 0);
  }
  editor.cache = &cache;
  rc = pthread_create(&editor.thread, NULL, EditorMain, &editor);
  assert(rc == 0);
  (void)rc;

  for (i = 0; i < VISITORS; i++) {
    pthread_join(visitors[i].thread, NULL);
    assert(visitors[i].pages == VISITS);
  }
  pthread_join(editor.thread, NULL);

  assert(visitors[0].bytes == home_len + shop_len);
  assert(visitors[1].bytes == 2 * home_len);
  CacheGetStats(&cache, &st);
  assert(st.hits + st.misses == VISITORS * VISITS);
  assert(st.drops == editor.dropped);
  assert(st.evictions == 0);
  assert(CacheCount(&cache) <= 2);
  CacheDestroy(&cache);
  assert(EntryLiveCount() == 0);
  printf("hits %u misses %u drops %u\n", st.hits, st.misses, st.drops);
  return 0;
}
