#include "log.h"

#include <assert.h>
#include <string.h>

void logbuf_reset(struct logbuf *b)
{
    memset(b->data, 0, sizeof(b->data));
    b->pos = 0;
}

/* Sets n bytes aside and returns where they are. */
size_t logbuf_reserve(struct logbuf *b, size_t n)
{
    size_t at = b->pos;

    if (n > LOGBUF_SIZE - at) {
        return LOGBUF_FULL;
    }
    b->pos = at + n;
    return at;
}

void logbuf_store(struct logbuf *b, size_t at, const unsigned char *src, size_t n)
{
    assert(at + n <= LOGBUF_SIZE);
    memcpy(b->data + at, src, n);
}

size_t logbuf_copy(const struct logbuf *b, unsigned char *dst, size_t cap)
{
    size_t n = b->pos;

    if (n > cap) {
        n = cap;
    }
    memcpy(dst, b->data, n);
    return n;
}
