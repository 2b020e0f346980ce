/* Formatted input. A stream is read byte by byte, at most one byte too far, which is given back; a whole call is one
 * step for the other threads. Numbers are gathered first and then converted as strtol and strtod do. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

enum { NOT_PUSHED = -2 };

/* Where the bytes come from: a text, or a stream when `text` is null. */
struct source {
    FILE *stream;
    const char *text;
    long taken;
    int pushed; /* a byte or EOF that was given back */
};

struct conversion {
    bool suppress;
    bool allocate;
    int width; /* 0 when there is none */
    char length; /* h, H for hh, l, L or \0 */
    char kind;
};

/* Passing a va_list on by pointer needs a struct: as a parameter it is already one of another type. */
struct arguments {
    va_list list;
};

_Noreturn void __model_scanf_argument_by_position(void);

static int next_byte(struct source *source) {
    int byte = source->pushed;
    if (byte != NOT_PUSHED) {
        source->pushed = NOT_PUSHED;
    } else if (source->text == NULL) {
        byte = __model_stream_get(source->stream);
    } else if (*source->text == '\0') {
        byte = EOF;
    } else {
        byte = (unsigned char)*source->text;
        source->text++;
    }
    if (byte != EOF) {
        source->taken++;
    }
    return byte;
}

static void give_back(struct source *source, int byte) {
    source->pushed = byte;
    if (byte != EOF) {
        source->taken--;
    }
}

static bool is_space(int byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

/* The first byte that is not space has been given back; false at the end of the input. */
static bool skip_space(struct source *source) {
    int byte = next_byte(source);
    while (is_space(byte)) {
        byte = next_byte(source);
    }
    give_back(source, byte);
    return byte != EOF;
}

/* The bytes of one field: takes no more than the width. */
struct field {
    struct source *source;
    struct model_text text;
    long left;
};

static int field_peek(struct field *field) {
    if (field->left == 0) {
        return EOF;
    }
    int byte = next_byte(field->source);
    give_back(field->source, byte);
    return byte;
}

static void field_take(struct field *field) {
    __model_text_byte(&field->text, (char)next_byte(field->source));
    field->left--;
}

static bool take_if(struct field *field, const char *set) {
    int byte = field_peek(field);
    if (byte == EOF || byte == '\0' || strchr(set, byte) == NULL) {
        return false;
    }
    field_take(field);
    return true;
}

static const char decimal[] = "0123456789";
static const char hexadecimal[] = "0123456789abcdefABCDEF";

/* True if what was taken is an integer; 0x without a digit behind it passes for 0, as in the C library. */
static bool take_integer(struct field *field, int *base) {
    bool any = false;
    take_if(field, "+-");
    if ((*base == 0 || *base == 16) && take_if(field, "0")) {
        any = true;
        if (take_if(field, "xX")) {
            *base = 16;
        } else if (*base == 0) {
            *base = 8;
        }
    }
    if (*base == 0) {
        *base = 10;
    }
    const char *digits = *base == 16 ? hexadecimal : *base == 8 ? "01234567" : decimal;
    while (take_if(field, digits)) {
        any = true;
    }
    return any;
}

static bool take_word(struct field *field, const char *lower, const char *upper) {
    for (; *lower != '\0'; lower++, upper++) {
        char either[3] = {*lower, *upper, '\0'};
        if (!take_if(field, either)) {
            return false;
        }
    }
    return true;
}

static bool take_digits(struct field *field, const char *digits) {
    bool any = false;
    while (take_if(field, digits)) {
        any = true;
    }
    return any;
}

static bool take_float(struct field *field) {
    take_if(field, "+-");
    int first = field_peek(field);
    if (first == 'i' || first == 'I') {
        if (!take_word(field, "inf", "INF")) {
            return false;
        }
        int next = field_peek(field);
        return (next != 'i' && next != 'I') || take_word(field, "inity", "INITY");
    }
    if (first == 'n' || first == 'N') {
        return take_word(field, "nan", "NAN");
    }
    const char *digits = decimal;
    bool any = take_if(field, "0");
    if (any && take_if(field, "xX")) {
        digits = hexadecimal;
        any = false;
    }
    any = take_digits(field, digits) || any;
    if (take_if(field, ".")) {
        any = take_digits(field, digits) || any;
    }
    if (any && take_if(field, digits == decimal ? "eE" : "pP")) {
        /* The C library lets an exponent without digits pass. */
        take_if(field, "+-");
        take_digits(field, decimal);
    }
    return any;
}

static void store_integer(const struct conversion *how, void *where, unsigned long value) {
    switch (how->length) {
    case 'H':
        *(char *)where = (char)value;
        break;
    case 'h':
        *(short *)where = (short)value;
        break;
    case '\0':
        *(int *)where = (int)value;
        break;
    default:
        *(long *)where = (long)value;
        break;
    }
}

static void store_float(const struct conversion *how, void *where, const char *text) {
    if (how->length == 'L') {
        *(long double *)where = strtold(text, NULL);
    } else if (how->length == 'l') {
        *(double *)where = strtod(text, NULL);
    } else {
        *(float *)where = strtof(text, NULL);
    }
}

static int base_of(char kind) {
    switch (kind) {
    case 'd':
    case 'u':
        return 10;
    case 'o':
        return 8;
    case 'i':
        return 0;
    default:
        return 16;
    }
}

/* %p also reads what printf writes for a null pointer. */
static bool scan_number(struct field *field, const struct conversion *how, void *where) {
    if (strchr("aAeEfFgG", how->kind) != NULL) {
        if (!take_float(field)) {
            return false;
        }
        __model_text_byte(&field->text, '\0');
        if (where != NULL) {
            store_float(how, where, field->text.bytes);
        }
        return true;
    }
    if (how->kind == 'p' && field_peek(field) == '(') {
        if (!take_word(field, "(nil)", "(NIL)")) {
            return false;
        }
        if (where != NULL) {
            *(void **)where = NULL;
        }
        return true;
    }
    int base = base_of(how->kind);
    if (!take_integer(field, &base)) {
        return false;
    }
    __model_text_byte(&field->text, '\0');
    if (where != NULL) {
        bool is_signed = how->kind == 'd' || how->kind == 'i';
        store_integer(how, where, is_signed ? (unsigned long)strtol(field->text.bytes, NULL, base)
                                            : strtoul(field->text.bytes, NULL, base));
    }
    return true;
}

/* Gives the gathered bytes to the program, in its buffer or in a new block. */
static bool store_bytes(struct field *field, const struct conversion *how, void *where) {
    if (how->kind != 'c') {
        __model_text_byte(&field->text, '\0');
    }
    if (where == NULL) {
        return true;
    }
    if (how->allocate) {
        char *block = malloc(field->text.length);
        *(char **)where = block;
        where = block;
        if (block == NULL) {
            return false;
        }
    }
    memcpy(where, field->text.bytes, field->text.length);
    return true;
}

/* A set such as [^a-z]: `set` says which bytes belong to it. The result is behind its closing bracket, or null. */
static const char *parse_set(const char *at, bool set[256]) {
    bool inverted = *at == '^';
    at += inverted ? 1 : 0;
    for (int i = 0; i < 256; i++) {
        set[i] = inverted;
    }
    const char *first = at;
    for (; *at != '\0' && (*at != ']' || at == first); at++) {
        unsigned char low = (unsigned char)*at;
        unsigned char high = low;
        if (at[1] == '-' && at[2] != ']' && at[2] != '\0') {
            high = (unsigned char)at[2];
            at += 2;
        }
        for (int byte = low; byte <= high; byte++) {
            set[byte] = !inverted;
        }
    }
    return *at == '\0' ? NULL : at + 1;
}

static bool scan_set(struct field *field, const struct conversion *how, const bool set[256], void *where) {
    bool any = false;
    for (int byte = field_peek(field); byte != EOF && set[byte]; byte = field_peek(field)) {
        field_take(field);
        any = true;
    }
    return any && store_bytes(field, how, where);
}

static bool scan_string(struct field *field, const struct conversion *how, void *where) {
    bool any = false;
    for (int byte = field_peek(field); byte != EOF && !is_space(byte); byte = field_peek(field)) {
        field_take(field);
        any = true;
    }
    return any && store_bytes(field, how, where);
}

static bool scan_characters(struct field *field, const struct conversion *how, void *where) {
    while (field_peek(field) != EOF) {
        field_take(field);
    }
    return store_bytes(field, how, where);
}

static const char *parse_conversion(const char *at, struct conversion *how) {
    for (; *at == '*' || *at == '\'' || *at == 'I'; at++) {
        how->suppress = how->suppress || *at == '*';
    }
    for (; *at >= '0' && *at <= '9'; at++) {
        how->width = how->width > INT_MAX / 10 - 1 ? how->width : how->width * 10 + (*at - '0');
    }
    if (*at == '$') {
        __model_scanf_argument_by_position();
    }
    if (*at == 'm') {
        how->allocate = true;
        at++;
    }
    switch (*at) {
    case 'h':
    case 'l':
        how->length = *at;
        at++;
        if (*at == how->length) {
            how->length = *at == 'h' ? 'H' : 'L';
            at++;
        }
        break;
    case 'L':
    case 'q':
        how->length = 'L';
        at++;
        break;
    case 'j':
    case 'z':
    case 't':
        how->length = 'l';
        at++;
        break;
    default:
        break;
    }
    how->kind = *at;
    if (*at == 'p') {
        how->length = 'l';
    }
    return *at == '\0' ? at : at + 1;
}

enum outcome { MATCHED, MISMATCH, AT_END };

/* One conversion other than %n and %%. `format` is behind its letter, where a set begins. */
static enum outcome scan_field(struct source *source, const struct conversion *how, const char **format,
                               struct arguments *arguments) {
    bool set[256];
    if (how->kind == '[') {
        *format = parse_set(*format, set);
        if (*format == NULL) {
            return MISMATCH;
        }
    } else if (how->kind != 'c' && !skip_space(source)) {
        return AT_END;
    }
    int byte = next_byte(source);
    give_back(source, byte);
    if (byte == EOF) {
        return AT_END;
    }
    struct field field = {.source = source, .left = how->width > 0 ? how->width : how->kind == 'c' ? 1 : LONG_MAX};
    void *where = how->suppress ? NULL : va_arg(arguments->list, void *);
    bool matched;
    __model_text_begin(&field.text);
    if (how->kind == 's') {
        matched = scan_string(&field, how, where);
    } else if (how->kind == 'c') {
        matched = scan_characters(&field, how, where);
    } else if (how->kind == '[') {
        matched = scan_set(&field, how, set, where);
    } else {
        matched = scan_number(&field, how, where);
    }
    __model_text_end(&field.text);
    return matched ? MATCHED : MISMATCH;
}

static enum outcome match_byte(struct source *source, char wanted) {
    int byte = next_byte(source);
    if (byte == (unsigned char)wanted) {
        return MATCHED;
    }
    give_back(source, byte);
    return byte == EOF ? AT_END : MISMATCH;
}

static int scan(struct source *source, const char *format, va_list list) {
    struct arguments arguments;
    int stored = 0;
    enum outcome outcome = MATCHED;
    va_copy(arguments.list, list);
    while (outcome == MATCHED && *format != '\0') {
        if (is_space((unsigned char)*format)) {
            skip_space(source);
            format++;
            continue;
        }
        if (*format != '%') {
            outcome = match_byte(source, *format);
            format++;
            continue;
        }
        struct conversion how = {0};
        format = parse_conversion(format + 1, &how);
        if (how.kind == '%') {
            skip_space(source);
            outcome = match_byte(source, '%');
        } else if (how.kind == 'n') {
            if (!how.suppress) {
                store_integer(&how, va_arg(arguments.list, void *), (unsigned long)source->taken);
            }
        } else if (how.kind == '\0' || strchr("diuoxXpaAeEfFgGsc[", how.kind) == NULL) {
            outcome = MISMATCH;
        } else {
            outcome = scan_field(source, &how, &format, &arguments);
            stored += outcome == MATCHED && !how.suppress ? 1 : 0;
        }
    }
    va_end(arguments.list);
    return outcome == AT_END && stored == 0 ? EOF : stored;
}

int __model_scan_text(const char *text, const char *format, va_list arguments) {
    struct source source = {.text = text, .pushed = NOT_PUSHED};
    return scan(&source, format, arguments);
}

int __model_scan_stream(FILE *stream, const char *format, va_list arguments) {
    struct source source = {.stream = stream, .pushed = NOT_PUSHED};
    __heddle_atomic_begin();
    int count = scan(&source, format, arguments);
    if (source.pushed >= 0) {
        ungetc(source.pushed, stream);
    }
    __heddle_atomic_end();
    return count;
}
