/* Messages about errors, each written to the standard error stream in one step. */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

unsigned int error_message_count;
int error_one_per_line;
void (*error_print_progname)(void);

static void put_string(struct model_text *text, const char *string) {
    __model_text_bytes(text, string, strlen(string));
}

static void put_error(struct model_text *text, int number) {
    char buffer[40];
    put_string(text, ": ");
    put_string(text, __model_error_message(number, buffer, sizeof buffer));
}

static void end_line(struct model_text *text) {
    __model_text_byte(text, '\n');
    __model_text_write(text, stderr->_fileno);
    __model_text_end(text);
}

void perror(const char *what) {
    struct model_text text;
    char buffer[40];
    int number = errno;
    __model_text_begin(&text);
    if (what != NULL && *what != '\0') {
        put_string(&text, what);
        put_string(&text, ": ");
    }
    put_string(&text, __model_error_message(number, buffer, sizeof buffer));
    end_line(&text);
    errno = number;
}

static void warn_line(const char *format, va_list arguments, int with_error) {
    struct model_text text;
    int number = errno;
    __model_text_begin(&text);
    put_string(&text, program_invocation_short_name);
    put_string(&text, ": ");
    if (format != NULL) {
        __model_text_format(&text, format, arguments);
        if (with_error) {
            put_error(&text, number);
        }
    } else if (with_error) {
        char buffer[40];
        put_string(&text, __model_error_message(number, buffer, sizeof buffer));
    }
    end_line(&text);
    errno = number;
}

void vwarn(const char *format, va_list arguments) { warn_line(format, arguments, 1); }

void vwarnx(const char *format, va_list arguments) { warn_line(format, arguments, 0); }

void verr(int status, const char *format, va_list arguments) {
    warn_line(format, arguments, 1);
    exit(status);
}

void verrx(int status, const char *format, va_list arguments) {
    warn_line(format, arguments, 0);
    exit(status);
}

void warn(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    warn_line(format, arguments, 1);
    va_end(arguments);
}

void warnx(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    warn_line(format, arguments, 0);
    va_end(arguments);
}

void err(int status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    warn_line(format, arguments, 1);
    va_end(arguments);
    exit(status);
}

void errx(int status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    warn_line(format, arguments, 0);
    va_end(arguments);
    exit(status);
}

static void error_line(int number, const char *file, unsigned int line, const char *format, va_list arguments) {
    struct model_text text;
    char digits[12];
    __model_text_begin(&text);
    put_string(&text, program_invocation_name);
    put_string(&text, ":");
    if (file != NULL) {
        put_string(&text, file);
        snprintf(digits, sizeof digits, ":%u:", line);
        put_string(&text, digits);
    }
    put_string(&text, " ");
    __model_text_format(&text, format, arguments);
    if (number != 0) {
        put_error(&text, number);
    }
    __heddle_atomic_begin();
    error_message_count++;
    __heddle_atomic_end();
    end_line(&text);
}

void error(int status, int number, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    error_line(number, NULL, 0, format, arguments);
    va_end(arguments);
    if (status != 0) {
        exit(status);
    }
}

void error_at_line(int status, int number, const char *file, unsigned int line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    error_line(number, file, line, format, arguments);
    va_end(arguments);
    if (status != 0) {
        exit(status);
    }
}
