/*
 * A binary in-memory log.  Records are appended to one buffer by several
 * sources; the buffer is sealed and parsed afterwards.
 */
#ifndef LOG_H
#define LOG_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

enum log_level {
    LEVEL_DEBUG,
    LEVEL_INFO,
    LEVEL_WARN,
    LEVEL_ERROR,
    LEVEL_MARK,
    LEVEL_COUNT
};

#define RECORD_HEADER 6
#define RECORD_TEXT_MAX 48
#define RECORD_MAX (RECORD_HEADER + RECORD_TEXT_MAX)
#define RECORD_MAGIC 0xA5u

/* magic, level, source, sequence, length of the text, check byte, text */
struct record {
    enum log_level level;
    unsigned source;
    unsigned seq;
    size_t length;
    char text[RECORD_TEXT_MAX + 1];
};

size_t record_encode(const struct record *r, unsigned char *out);
int record_decode(const unsigned char *in, size_t avail, struct record *r);
const char *level_name(enum log_level level);

/* Text building with truncation instead of overflow. */
struct textline {
    char data[RECORD_TEXT_MAX + 1];
    size_t length;
};

void line_reset(struct textline *l);
void line_text(struct textline *l, const char *s);
void line_uint(struct textline *l, unsigned long v);
void line_hex(struct textline *l, unsigned long v);
void line_pair(struct textline *l, const char *key, unsigned long v);

#define LOGBUF_SIZE 512
#define LOGBUF_FULL ((size_t)-1)

struct logbuf {
    unsigned char data[LOGBUF_SIZE];
    size_t pos;
};

void logbuf_reset(struct logbuf *b);
size_t logbuf_reserve(struct logbuf *b, size_t n);
void logbuf_store(struct logbuf *b, size_t at, const unsigned char *src, size_t n);
size_t logbuf_copy(const struct logbuf *b, unsigned char *dst, size_t cap);

struct logger {
    pthread_mutex_t lock;
    struct logbuf buf;
    enum log_level threshold;
    unsigned written;
    unsigned marks;
    unsigned filtered;
    unsigned dropped;
};

/* Each source belongs to one thread. */
struct log_source {
    struct logger *logger;
    unsigned id;
    unsigned next_seq;
    size_t bytes;
};

void logger_init(struct logger *lg, enum log_level threshold);
void logger_destroy(struct logger *lg);
void source_init(struct log_source *src, struct logger *lg, unsigned id);
int log_write(struct log_source *src, enum log_level level, const char *text);
int log_value(struct log_source *src, enum log_level level, const char *key, unsigned long value);
int log_mark(struct log_source *src, unsigned code);
size_t logger_seal(struct logger *lg, unsigned char *dst, size_t cap);

#define MAX_SOURCES 4

struct log_summary {
    size_t records;
    size_t bytes;
    size_t by_level[LEVEL_COUNT];
    size_t by_source[MAX_SOURCES];
    unsigned last_seq[MAX_SOURCES];
    int ordered;
};

int log_parse(const unsigned char *data, size_t size, struct log_summary *sum);
int log_find(const unsigned char *data, size_t size, unsigned source, unsigned seq,
             struct record *out);
void log_dump(const unsigned char *data, size_t size);

#endif
