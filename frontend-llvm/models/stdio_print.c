/* The printf family. Each call formats into a private text and hands it on in one piece: one write for a stream, one
 * copy for a buffer of the program. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

static int finish(struct model_text *text, int fine) {
    int length = (int)text->length;
    if (text->length > INT_MAX) {
        errno = EOVERFLOW;
        fine = 0;
    }
    __model_text_end(text);
    return fine ? length : -1;
}

int vdprintf(int descriptor, const char *format, va_list arguments) {
    struct model_text text;
    __model_text_begin(&text);
    int fine = __model_text_format(&text, format, arguments);
    fine = fine && __model_text_write(&text, descriptor);
    return finish(&text, fine);
}

int vfprintf(FILE *stream, const char *format, va_list arguments) {
    struct model_text text;
    __model_text_begin(&text);
    int fine = __model_text_format(&text, format, arguments);
    if (fine && !__model_text_write(&text, stream->_fileno)) {
        __model_stream_failed(stream);
        fine = 0;
    }
    return finish(&text, fine);
}

int vprintf(const char *format, va_list arguments) { return vfprintf(stdout, format, arguments); }

int vsnprintf(char *buffer, size_t size, const char *format, va_list arguments) {
    struct model_text text;
    __model_text_begin(&text);
    int fine = __model_text_format(&text, format, arguments);
    if (size > text.length) {
        __model_text_byte(&text, '\0');
        text.length--;
        memcpy(buffer, text.bytes, text.length + 1);
    } else if (size > 0) {
        memcpy(buffer, text.bytes, size - 1);
        buffer[size - 1] = '\0';
    }
    return finish(&text, fine);
}

int vsprintf(char *buffer, const char *format, va_list arguments) {
    return vsnprintf(buffer, SIZE_MAX, format, arguments);
}

int vasprintf(char **result, const char *format, va_list arguments) {
    struct model_text text;
    __model_text_begin(&text);
    int fine = __model_text_format(&text, format, arguments);
    char *copy = fine ? malloc(text.length + 1) : NULL;
    if (copy != NULL) {
        __model_text_byte(&text, '\0');
        text.length--;
        memcpy(copy, text.bytes, text.length + 1);
        *result = copy;
    }
    return finish(&text, copy != NULL);
}

int printf(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vfprintf(stdout, format, arguments);
    va_end(arguments);
    return length;
}

int fprintf(FILE *stream, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vfprintf(stream, format, arguments);
    va_end(arguments);
    return length;
}

int dprintf(int descriptor, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vdprintf(descriptor, format, arguments);
    va_end(arguments);
    return length;
}

int sprintf(char *buffer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(buffer, SIZE_MAX, format, arguments);
    va_end(arguments);
    return length;
}

int snprintf(char *buffer, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(buffer, size, format, arguments);
    va_end(arguments);
    return length;
}

int asprintf(char **result, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(result, format, arguments);
    va_end(arguments);
    return length;
}
