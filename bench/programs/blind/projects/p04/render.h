/* Turns page names into HTML by means of small templates. */
#ifndef RENDER_H
#define RENDER_H

#include <stddef.h>

typedef struct StrBuf {
  char *data;
  size_t len;
  size_t cap;
  int failed;
} StrBuf;

void StrBufInit(StrBuf *sb);
void StrBufPutChar(StrBuf *sb, char c);
void StrBufPuts(StrBuf *sb, const char *s);
void StrBufPutEscaped(StrBuf *sb, const char *s);
void StrBufPutUnsigned(StrBuf *sb, unsigned long v);
char *StrBufDetach(StrBuf *sb);
void StrBufFree(StrBuf *sb);

typedef struct Binding {
  const char *name;
  const char *value;
} Binding;

int TemplateExpand(StrBuf *out, const char *tmpl, const Binding *binds,
                   size_t nbinds);

/* Returns a string to be freed by the caller, or NULL. */
char *RenderPage(const char *name);
size_t RenderPageCount(void);
const char *RenderPageName(size_t index);

#endif
