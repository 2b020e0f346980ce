/* The scanf family and its other names. The header redirects scanf to __isoc99_scanf unless old GNU syntax is asked
 * for; here both read the same syntax. */
#include <stdarg.h>
#include <stddef.h>

typedef struct _IO_FILE FILE;

extern FILE *stdin;

int __model_scan_text(const char *text, const char *format, va_list arguments);
int __model_scan_stream(FILE *stream, const char *format, va_list arguments);

/* One name each for the forms with arguments and with a list. */
#define SCANF_NAMES(prefix)                                                                                            \
    int prefix##scanf(const char *format, ...) {                                                                       \
        va_list arguments;                                                                                             \
        va_start(arguments, format);                                                                                   \
        int count = __model_scan_stream(stdin, format, arguments);                                                     \
        va_end(arguments);                                                                                             \
        return count;                                                                                                  \
    }                                                                                                                  \
    int prefix##fscanf(FILE *stream, const char *format, ...) {                                                        \
        va_list arguments;                                                                                             \
        va_start(arguments, format);                                                                                   \
        int count = __model_scan_stream(stream, format, arguments);                                                    \
        va_end(arguments);                                                                                             \
        return count;                                                                                                  \
    }                                                                                                                  \
    int prefix##sscanf(const char *text, const char *format, ...) {                                                    \
        va_list arguments;                                                                                             \
        va_start(arguments, format);                                                                                   \
        int count = __model_scan_text(text, format, arguments);                                                        \
        va_end(arguments);                                                                                             \
        return count;                                                                                                  \
    }                                                                                                                  \
    int prefix##vscanf(const char *format, va_list arguments) {                                                        \
        return __model_scan_stream(stdin, format, arguments);                                                          \
    }                                                                                                                  \
    int prefix##vfscanf(FILE *stream, const char *format, va_list arguments) {                                         \
        return __model_scan_stream(stream, format, arguments);                                                         \
    }                                                                                                                  \
    int prefix##vsscanf(const char *text, const char *format, va_list arguments) {                                     \
        return __model_scan_text(text, format, arguments);                                                             \
    }

SCANF_NAMES()
SCANF_NAMES(__isoc99_)
SCANF_NAMES(__isoc23_)
