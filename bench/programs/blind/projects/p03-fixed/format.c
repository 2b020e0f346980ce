#include "log.h"

#include <string.h>

static const char *const level_names[LEVEL_COUNT] = {
    "debug", "info", "warn", "error", "mark"
};

const char *level_name(enum log_level level)
{
    if ((int)level < 0 || level >= LEVEL_COUNT) {
        return "?";
    }
    return level_names[level];
}

static unsigned char check_byte(const unsigned char *head, const unsigned char *text, size_t n)
{
    unsigned c = 0x3Cu;
    size_t i;

    for (i = 0; i + 1 < RECORD_HEADER; i++) {
        c = ((c << 1) | (c >> 7)) & 0xFFu;
        c ^= head[i];
    }
    for (i = 0; i < n; i++) {
        c = ((c << 1) | (c >> 7)) & 0xFFu;
        c ^= text[i];
    }
    return (unsigned char)c;
}

size_t record_encode(const struct record *r, unsigned char *out)
{
    size_t n = r->length;

    if (n > RECORD_TEXT_MAX) {
        n = RECORD_TEXT_MAX;
    }
    out[0] = RECORD_MAGIC;
    out[1] = (unsigned char)r->level;
    out[2] = (unsigned char)r->source;
    out[3] = (unsigned char)r->seq;
    out[4] = (unsigned char)n;
    memcpy(out + RECORD_HEADER, r->text, n);
    out[5] = check_byte(out, out + RECORD_HEADER, n);
    return RECORD_HEADER + n;
}

/* Returns the size of the record, or -1 if there is no valid record. */
int record_decode(const unsigned char *in, size_t avail, struct record *r)
{
    size_t n;

    if (avail < RECORD_HEADER || in[0] != RECORD_MAGIC) {
        return -1;
    }
    n = in[4];
    if (n > RECORD_TEXT_MAX || RECORD_HEADER + n > avail) {
        return -1;
    }
    if (in[1] >= LEVEL_COUNT || in[2] >= MAX_SOURCES) {
        return -1;
    }
    if (check_byte(in, in + RECORD_HEADER, n) != in[5]) {
        return -1;
    }
    r->level = (enum log_level)in[1];
    r->source = in[2];
    r->seq = in[3];
    r->length = n;
    memcpy(r->text, in + RECORD_HEADER, n);
    r->text[n] = '\0';
    return (int)(RECORD_HEADER + n);
}

void line_reset(struct textline *l)
{
    l->length = 0;
    l->data[0] = '\0';
}

static void line_char(struct textline *l, char c)
{
    if (l->length < RECORD_TEXT_MAX) {
        l->data[l->length++] = c;
        l->data[l->length] = '\0';
    }
}

void line_text(struct textline *l, const char *s)
{
    while (*s != '\0') {
        line_char(l, *s++);
    }
}

static void line_number(struct textline *l, unsigned long v, unsigned base)
{
    static const char digits[] = "0123456789abcdef";
    char tmp[24];
    size_t n = 0;

    do {
        tmp[n++] = digits[v % base];
        v /= base;
    } while (v != 0);
    while (n > 0) {
        line_char(l, tmp[--n]);
    }
}

void line_uint(struct textline *l, unsigned long v)
{
    line_number(l, v, 10);
}

void line_hex(struct textline *l, unsigned long v)
{
    line_text(l, "0x");
    line_number(l, v, 16);
}

void line_pair(struct textline *l, const char *key, unsigned long v)
{
    if (l->length > 0) {
        line_char(l, ' ');
    }
    line_text(l, key);
    line_char(l, '=');
    line_uint(l, v);
}
