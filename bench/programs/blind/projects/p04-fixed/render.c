#include "render.h"

#include <stdlib.h>
#include <string.h>

typedef struct Page {
  const char *name;
  const char *title;
  const char *body;
} Page;

static const Page kPages[] = {
    {"home", "Home", "Tea & Co"},
    {"shop", "Shop", "5 < 6"},
    {"about", "About", "since 1987"},
};

static const char kLayout[] = "<h1>{title}</h1><p>{body}</p>";

void StrBufInit(StrBuf *sb) {
  sb->data = NULL;
  sb->len = 0;
  sb->cap = 0;
  sb->failed = 0;
}

static int StrBufGrow(StrBuf *sb, size_t need) {
  size_t cap = sb->cap ? sb->cap : 32;
  char *data;

  if (sb->failed) return -1;
  while (cap < need) cap *= 2;
  if (cap == sb->cap) return 0;
  data = realloc(sb->data, cap);
  if (data == NULL) {
    sb->failed = 1;
    return -1;
  }
  sb->data = data;
  sb->cap = cap;
  return 0;
}

void StrBufPutChar(StrBuf *sb, char c) {
  if (StrBufGrow(sb, sb->len + 2) != 0) return;
  sb->data[sb->len++] = c;
  sb->data[sb->len] = '\0';
}

void StrBufPuts(StrBuf *sb, const char *s) {
  size_t n = strlen(s);

  if (StrBufGrow(sb, sb->len + n + 1) != 0) return;
  memcpy(sb->data + sb->len, s, n + 1);
  sb->len += n;
}

void StrBufPutEscaped(StrBuf *sb, const char *s) {
  for (; *s != '\0'; s++) {
    switch (*s) {
      case '<':
        StrBufPuts(sb, "&lt;");
        break;
      case '>':
        StrBufPuts(sb, "&gt;");
        break;
      case '&':
        StrBufPuts(sb, "&amp;");
        break;
      default:
        StrBufPutChar(sb, *s);
        break;
    }
  }
}

void StrBufPutUnsigned(StrBuf *sb, unsigned long v) {
  if (v >= 10) StrBufPutUnsigned(sb, v / 10);
  StrBufPutChar(sb, (char)('0' + v % 10));
}

/* The string now belongs to the caller; the buffer is empty again. */
char *StrBufDetach(StrBuf *sb) {
  char *data = NULL;

  if (!sb->failed && StrBufGrow(sb, sb->len + 1) == 0) {
    data = sb->data;
    data[sb->len] = '\0';
    sb->data = NULL;
  }
  StrBufFree(sb);
  return data;
}

void StrBufFree(StrBuf *sb) {
  free(sb->data);
  StrBufInit(sb);
}

static const char *FindBinding(const Binding *binds, size_t nbinds,
                               const char *name, size_t len) {
  size_t i;

  for (i = 0; i < nbinds; i++) {
    if (strlen(binds[i].name) == len &&
        strncmp(binds[i].name, name, len) == 0) {
      return binds[i].value;
    }
  }
  return NULL;
}

int TemplateExpand(StrBuf *out, const char *tmpl, const Binding *binds,
                   size_t nbinds) {
  while (*tmpl != '\0') {
    const char *end;
    const char *value;

    if (*tmpl != '{') {
      StrBufPutChar(out, *tmpl++);
      continue;
    }
    end = strchr(tmpl, '}');
    if (end == NULL) return -1;
    value = FindBinding(binds, nbinds, tmpl + 1, (size_t)(end - tmpl - 1));
    if (value == NULL) return -1;
    StrBufPutEscaped(out, value);
    tmpl = end + 1;
  }
  return out->failed ? -1 : 0;
}

char *RenderPage(const char *name) {
  StrBuf out;
  size_t i;

  for (i = 0; i < RenderPageCount(); i++) {
    if (strcmp(kPages[i].name, name) == 0) {
      Binding binds[2] = {{"title", kPages[i].title},
                          {"body", kPages[i].body}};

      StrBufInit(&out);
      if (TemplateExpand(&out, kLayout, binds, 2) != 0) {
        StrBufFree(&out);
        return NULL;
      }
      return StrBufDetach(&out);
    }
  }
  return NULL;
}

size_t RenderPageCount(void) { return sizeof(kPages) / sizeof(kPages[0]); }

const char *RenderPageName(size_t index) {
  return index < RenderPageCount() ? kPages[index].name : NULL;
}
