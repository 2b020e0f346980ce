#include "log.h"

#include <string.h>

void logger_init(struct logger *lg, enum log_level threshold)
{
    pthread_mutex_init(&lg->lock, NULL);
    logbuf_reset(&lg->buf);
    lg->threshold = threshold;
    lg->written = 0;
    lg->marks = 0;
    lg->filtered = 0;
    lg->dropped = 0;
}

void logger_destroy(struct logger *lg)
{
    pthread_mutex_destroy(&lg->lock);
}

void source_init(struct log_source *src, struct logger *lg, unsigned id)
{
    src->logger = lg;
    src->id = id;
    src->next_seq = 1;
    src->bytes = 0;
}

/* Fills in everything but the text. */
static void begin_record(struct log_source *src, struct record *r, enum log_level level)
{
    r->level = level;
    r->source = src->id;
    r->seq = src->next_seq;
    r->length = 0;
    r->text[0] = '\0';
}

static void set_text(struct record *r, const char *text)
{
    size_t n = strlen(text);

    if (n > RECORD_TEXT_MAX) {
        n = RECORD_TEXT_MAX;
    }
    memcpy(r->text, text, n);
    r->text[n] = '\0';
    r->length = n;
}

static void account(struct log_source *src, size_t n)
{
    src->next_seq++;
    src->bytes += n;
}

int log_write(struct log_source *src, enum log_level level, const char *text)
{
    struct logger *lg = src->logger;
    struct record r;
    unsigned char raw[RECORD_MAX];
    size_t n;
    size_t at;

    begin_record(src, &r, level);
    set_text(&r, text);
    n = record_encode(&r, raw);

    pthread_mutex_lock(&lg->lock);
    if (level < lg->threshold) {
        lg->filtered++;
        pthread_mutex_unlock(&lg->lock);
        return 0;
    }
    at = logbuf_reserve(&lg->buf, n);
    if (at == LOGBUF_FULL) {
        lg->dropped++;
        pthread_mutex_unlock(&lg->lock);
        return -1;
    }
    logbuf_store(&lg->buf, at, raw, n);
    lg->written++;
    pthread_mutex_unlock(&lg->lock);

    account(src, n);
    return 1;
}

int log_value(struct log_source *src, enum log_level level, const char *key, unsigned long value)
{
    struct textline line;

    line_reset(&line);
    line_pair(&line, key, value);
    return log_write(src, level, line.data);
}

/* A mark is a short record that no threshold suppresses. */
int log_mark(struct log_source *src, unsigned code)
{
    struct logger *lg = src->logger;
    struct textline line;
    struct record r;
    unsigned char raw[RECORD_MAX];
    size_t n;
    size_t at;

    line_reset(&line);
    line_text(&line, "mark ");
    line_hex(&line, code);
    begin_record(src, &r, LEVEL_MARK);
    set_text(&r, line.data);
    n = record_encode(&r, raw);

    pthread_mutex_lock(&lg->lock);
    at = logbuf_reserve(&lg->buf, n);
    if (at == LOGBUF_FULL) {
        pthread_mutex_unlock(&lg->lock);
        return -1;
    }
    logbuf_store(&lg->buf, at, raw, n);
    lg->marks++;
    pthread_mutex_unlock(&lg->lock);

    account(src, n);
    return 1;
}

size_t logger_seal(struct logger *lg, unsigned char *dst, size_t cap)
{
    size_t n;

    pthread_mutex_lock(&lg->lock);
    n = logbuf_copy(&lg->buf, dst, cap);
    logbuf_reset(&lg->buf);
    pthread_mutex_unlock(&lg->lock);
    return n;
}
