/* What models share among themselves: error numbers, the text that formatted output is gathered in, and the few
 * functions that cross a file's border. Names begin with `__model_`, so that none meets one of the program's. */
#ifndef MODEL_H
#define MODEL_H

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "heddle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The error number that stands for a primitive's code. */
static inline int model_errno(int code) {
    switch (code) {
    case HEDDLE_OK:
        return 0;
    case HEDDLE_BUSY:
        return EBUSY;
    case HEDDLE_DEADLOCK:
        return EDEADLK;
    case HEDDLE_TIMED_OUT:
        return ETIMEDOUT;
    case HEDDLE_NOT_OWNER:
        return EPERM;
    default:
        return EINVAL;
    }
}

enum { MODEL_TEXT_OWN = 192 };

/* A growing text that one thread owns. Short ones stay in `own`; `bytes` moves to the heap when it no longer fits. */
struct model_text {
    char *bytes;
    size_t length;
    size_t capacity;
    char own[MODEL_TEXT_OWN];
};

void __model_text_begin(struct model_text *text);
void __model_text_byte(struct model_text *text, char byte);
void __model_text_bytes(struct model_text *text, const char *bytes, size_t length);
void __model_text_fill(struct model_text *text, char byte, long count);
/* As vprintf into the text; false when a wide character has no byte. */
int __model_text_format(struct model_text *text, const char *format, va_list arguments);
void __model_text_end(struct model_text *text);

/* Writes all of the text to a descriptor in one step; false on error. */
int __model_text_write(const struct model_text *text, int descriptor);

/* The digits of a finite double or long double in the form of `%a`, without sign. */
void __model_text_hexadecimal(struct model_text *text, long double value, int is_long, int precision, int alternate);

/* The message of an error number; never null. A number that has none is written into the buffer, if there is one. */
const char *__model_error_message(int number, char *buffer, size_t size);

/* What ends a thread before its result is handed over, and what ends the thread that calls exit. */
void __model_thread_ends(void);
void __model_thread_locals_end(void);

/* What pthread_exit does if main calls it: the process goes on without main. */
void __model_main_leaves(void);

/* Moves the virtual clock to the given time, unless it is later already: a wait that timed out finds its deadline over. */
struct timespec;
void __model_clock_pass(const struct timespec *deadline);

/* What a stream's `_flags2` holds; the standard input is neither. */
enum { MODEL_STREAM_CONSTANT = 1, MODEL_STREAM_ALLOCATED = 2 };

void __model_stream_failed(FILE *stream);

/* One byte from a stream, or EOF. */
int __model_stream_get(FILE *stream);

/* As vsscanf and vfscanf, whose own names the header redirects. */
int __model_scan_text(const char *text, const char *format, va_list arguments);
int __model_scan_stream(FILE *stream, const char *format, va_list arguments);

#ifdef __cplusplus
}
#endif

#endif
