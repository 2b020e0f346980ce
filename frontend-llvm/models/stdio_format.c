/* Formatted output into a text that the calling thread owns: everything that printf's conversions do.
 *
 * Floating-point digits come from the primitive float.format; sign, padding, infinities, and the hexadecimal form are
 * made here. Arguments by position (`%1$d`) are not modelled: they end in an undefined function. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "model.h"

enum length_modifier { LENGTH_INT, LENGTH_CHAR, LENGTH_SHORT, LENGTH_LONG, LENGTH_LONG_DOUBLE };

struct conversion {
    bool left;
    bool plus;
    bool space;
    bool alternate;
    bool zero;
    int width;
    int precision; /* -1 when there is none */
    enum length_modifier length;
    char kind;
};

/* Passing a va_list on by pointer needs a struct: as a parameter it is already one of another type. */
struct arguments {
    va_list list;
};

_Noreturn void __model_printf_argument_by_position(void);

void __model_text_begin(struct model_text *text) {
    text->bytes = text->own;
    text->length = 0;
    text->capacity = MODEL_TEXT_OWN;
}

void __model_text_end(struct model_text *text) {
    if (text->bytes != text->own) {
        __heddle_memory_free(text->bytes);
    }
}

static void reserve(struct model_text *text, size_t more) {
    size_t capacity = text->capacity;
    if (text->length + more <= capacity) {
        return;
    }
    while (text->length + more > capacity) {
        capacity *= 2;
    }
    char *bytes = __heddle_memory_alloc(capacity, 16, 0);
    memcpy(bytes, text->bytes, text->length);
    __model_text_end(text);
    text->bytes = bytes;
    text->capacity = capacity;
}

void __model_text_byte(struct model_text *text, char byte) {
    reserve(text, 1);
    text->bytes[text->length] = byte;
    text->length++;
}

void __model_text_bytes(struct model_text *text, const char *bytes, size_t length) {
    reserve(text, length);
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
}

void __model_text_fill(struct model_text *text, char byte, long count) {
    if (count > 0) {
        reserve(text, (size_t)count);
        memset(text->bytes + text->length, byte, (size_t)count);
        text->length += (size_t)count;
    }
}

int __model_text_write(const struct model_text *text, int descriptor) {
    if (text->length == 0) {
        return 1;
    }
    return __heddle_file_write(descriptor, text->bytes, text->length) == (long)text->length;
}

/* Prefix (sign or 0x), then zeros, then the body, all within the width. */
static void put_padded(struct model_text *text, const struct conversion *how, const char *prefix, long zeros,
                       const char *body, size_t length) {
    size_t prefix_length = strlen(prefix);
    long padding = how->width - (long)prefix_length - zeros - (long)length;
    if (how->zero && !how->left && padding > 0) {
        zeros += padding;
        padding = 0;
    }
    if (!how->left) {
        __model_text_fill(text, ' ', padding);
    }
    __model_text_bytes(text, prefix, prefix_length);
    __model_text_fill(text, '0', zeros);
    __model_text_bytes(text, body, length);
    if (how->left) {
        __model_text_fill(text, ' ', padding);
    }
}

static const char *sign_of(const struct conversion *how, bool negative) {
    return negative ? "-" : how->plus ? "+" : how->space ? " " : "";
}

static void put_integer(struct model_text *text, struct conversion how, const char *prefix, uintmax_t value,
                        unsigned base) {
    char digits[24];
    size_t at = sizeof digits;
    char ten = how.kind == 'X' ? 'A' : 'a';
    for (uintmax_t rest = value; rest != 0; rest /= base) {
        unsigned digit = (unsigned)(rest % base);
        at--;
        digits[at] = (char)(digit < 10 ? '0' + digit : ten + digit - 10);
    }
    long length = (long)(sizeof digits - at);
    long wanted = how.precision < 0 ? 1 : how.precision;
    if (how.kind == 'o' && how.alternate && wanted <= length) {
        wanted = length + 1;
    }
    if (how.precision >= 0) {
        how.zero = false;
    }
    put_padded(text, &how, prefix, wanted > length ? wanted - length : 0, digits + at, (size_t)length);
}

static intmax_t next_signed(struct arguments *arguments, enum length_modifier length) {
    switch (length) {
    case LENGTH_CHAR:
        return (signed char)va_arg(arguments->list, int);
    case LENGTH_SHORT:
        return (short)va_arg(arguments->list, int);
    case LENGTH_INT:
        return va_arg(arguments->list, int);
    default:
        return va_arg(arguments->list, long);
    }
}

static uintmax_t next_unsigned(struct arguments *arguments, enum length_modifier length) {
    switch (length) {
    case LENGTH_CHAR:
        return (unsigned char)va_arg(arguments->list, unsigned);
    case LENGTH_SHORT:
        return (unsigned short)va_arg(arguments->list, unsigned);
    case LENGTH_INT:
        return va_arg(arguments->list, unsigned);
    default:
        return va_arg(arguments->list, unsigned long);
    }
}

static void format_signed(struct model_text *text, const struct conversion *how, struct arguments *arguments) {
    intmax_t value = next_signed(arguments, how->length);
    uintmax_t magnitude = value < 0 ? -(uintmax_t)value : (uintmax_t)value;
    put_integer(text, *how, sign_of(how, value < 0), magnitude, 10);
}

static void format_unsigned(struct model_text *text, const struct conversion *how, struct arguments *arguments) {
    uintmax_t value = next_unsigned(arguments, how->length);
    bool hexadecimal = how->kind == 'x' || how->kind == 'X';
    const char *prefix = "";
    if (hexadecimal && how->alternate && value != 0) {
        prefix = how->kind == 'x' ? "0x" : "0X";
    }
    put_integer(text, *how, prefix, value, hexadecimal ? 16 : how->kind == 'o' ? 8 : 10);
}

static void format_pointer(struct model_text *text, struct conversion how, struct arguments *arguments) {
    void *pointer = va_arg(arguments->list, void *);
    if (pointer == NULL) {
        how.zero = false;
        put_padded(text, &how, "", 0, "(nil)", 5);
        return;
    }
    how.kind = 'x';
    put_integer(text, how, how.plus ? "+0x" : how.space ? " 0x" : "0x", (uintptr_t)pointer, 16);
}

static void to_upper(char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] >= 'a' && bytes[i] <= 'z') {
            bytes[i] = (char)(bytes[i] - 'a' + 'A');
        }
    }
}

/* Puts the digits of a finite magnitude into an empty text. */
static void float_digits(struct model_text *digits, const struct conversion *how, char kind, long double value) {
    if (kind == 'a') {
        __model_text_hexadecimal(digits, value, how->length == LENGTH_LONG_DOUBLE, how->precision, how->alternate);
        return;
    }
    int precision = how->precision < 0 ? 6 : how->precision;
    size_t needed =
        (size_t)__heddle_float_format(digits->bytes, digits->capacity, kind, precision, how->alternate, value);
    if (needed >= digits->capacity) {
        reserve(digits, needed + 1);
        __heddle_float_format(digits->bytes, digits->capacity, kind, precision, how->alternate, value);
    }
    digits->length = needed;
}

static void format_float(struct model_text *text, struct conversion how, struct arguments *arguments) {
    long double value =
        how.length == LENGTH_LONG_DOUBLE ? va_arg(arguments->list, long double) : va_arg(arguments->list, double);
    bool negative = __builtin_signbitl(value);
    bool upper = how.kind >= 'A' && how.kind <= 'Z';
    char kind = (char)(upper ? how.kind - 'A' + 'a' : how.kind);
    const char *sign = sign_of(&how, negative);
    if (value != value || value - value != 0) {
        how.zero = false;
        const char *name = value != value ? (upper ? "NAN" : "nan") : (upper ? "INF" : "inf");
        put_padded(text, &how, sign, 0, name, 3);
        return;
    }
    struct model_text digits;
    __model_text_begin(&digits);
    float_digits(&digits, &how, kind, negative ? -value : value);
    if (upper) {
        to_upper(digits.bytes, digits.length);
    }
    if (kind != 'a') {
        put_padded(text, &how, sign, 0, digits.bytes, digits.length);
    } else {
        /* Zeros that pad stand between 0x and the digits. */
        char prefix[4];
        size_t at = 0;
        if (sign[0] != '\0') {
            prefix[at] = sign[0];
            at++;
        }
        prefix[at] = digits.bytes[0];
        prefix[at + 1] = digits.bytes[1];
        prefix[at + 2] = '\0';
        put_padded(text, &how, prefix, 0, digits.bytes + 2, digits.length - 2);
    }
    __model_text_end(&digits);
}

static void format_string(struct model_text *text, struct conversion how, const char *string) {
    how.zero = false;
    if (string == NULL) {
        string = how.precision < 0 || how.precision >= 6 ? "(null)" : "";
    }
    size_t length = how.precision < 0 ? strlen(string) : strnlen(string, (size_t)how.precision);
    put_padded(text, &how, "", 0, string, length);
}

/* In the C locale, a wide character is a byte below 128 or an error. */
static int format_wide_string(struct model_text *text, struct conversion how, const wchar_t *string) {
    if (string == NULL) {
        format_string(text, how, NULL);
        return 1;
    }
    struct model_text bytes;
    __model_text_begin(&bytes);
    int fine = 1;
    for (; (how.precision < 0 || bytes.length < (size_t)how.precision) && fine && *string != 0; string++) {
        fine = *string > 0 && *string < 128;
        __model_text_byte(&bytes, (char)*string);
    }
    how.zero = false;
    put_padded(text, &how, "", 0, bytes.bytes, bytes.length);
    __model_text_end(&bytes);
    return fine;
}

static int format_character(struct model_text *text, struct conversion how, struct arguments *arguments) {
    unsigned value = va_arg(arguments->list, unsigned);
    char byte = (char)value;
    how.zero = false;
    put_padded(text, &how, "", 0, &byte, 1);
    return how.length != LENGTH_LONG || value < 128;
}

static void store_count(enum length_modifier length, struct arguments *arguments, size_t count) {
    void *where = va_arg(arguments->list, void *);
    switch (length) {
    case LENGTH_CHAR:
        *(signed char *)where = (signed char)count;
        break;
    case LENGTH_SHORT:
        *(short *)where = (short)count;
        break;
    case LENGTH_INT:
        *(int *)where = (int)count;
        break;
    default:
        *(long *)where = (long)count;
        break;
    }
}

static const char *parse_flags(const char *at, struct conversion *how) {
    for (;; at++) {
        switch (*at) {
        case '-':
            how->left = true;
            break;
        case '+':
            how->plus = true;
            break;
        case ' ':
            how->space = true;
            break;
        case '#':
            how->alternate = true;
            break;
        case '0':
            how->zero = true;
            break;
        case '\'': /* digits are not grouped in the C locale */
        case 'I':
            break;
        default:
            return at;
        }
    }
}

static const char *parse_number(const char *at, int *number) {
    long value = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        value = value * 10 + (*at - '0');
        if (value > INT_MAX) {
            value = INT_MAX;
        }
    }
    *number = (int)value;
    return at;
}

static const char *parse_width(const char *at, struct conversion *how, struct arguments *arguments) {
    if (*at == '*') {
        int width = va_arg(arguments->list, int);
        how->left = how->left || width < 0;
        how->width = width < 0 ? -width : width;
        at++;
    } else {
        at = parse_number(at, &how->width);
    }
    if (*at == '$') {
        __model_printf_argument_by_position();
    }
    if (*at != '.') {
        return at;
    }
    at++;
    if (*at == '*') {
        int precision = va_arg(arguments->list, int);
        how->precision = precision < 0 ? -1 : precision;
        return at + 1;
    }
    if (*at == '-') {
        at = parse_number(at + 1, &how->precision);
        how->precision = -1;
        return at;
    }
    return parse_number(at, &how->precision);
}

static const char *parse_length(const char *at, struct conversion *how) {
    switch (*at) {
    case 'h':
        how->length = at[1] == 'h' ? LENGTH_CHAR : LENGTH_SHORT;
        return at[1] == 'h' ? at + 2 : at + 1;
    case 'l':
        /* `ll` with a float means long double to the C library, and with an integer the same as `l`. */
        how->length = at[1] == 'l' ? LENGTH_LONG_DOUBLE : LENGTH_LONG;
        return at[1] == 'l' ? at + 2 : at + 1;
    case 'L':
    case 'q':
        how->length = LENGTH_LONG_DOUBLE;
        return at + 1;
    case 'j':
    case 'z':
    case 'Z':
    case 't':
        how->length = LENGTH_LONG;
        return at + 1;
    default:
        return at;
    }
}

/* False when the conversion has no bytes in the C locale. */
static int convert(struct model_text *text, const struct conversion *how, struct arguments *arguments, int error) {
    char buffer[40];
    switch (how->kind) {
    case 'd':
    case 'i':
        format_signed(text, how, arguments);
        return 1;
    case 'u':
    case 'o':
    case 'x':
    case 'X':
        format_unsigned(text, how, arguments);
        return 1;
    case 's':
    case 'S':
        if (how->kind == 'S' || how->length == LENGTH_LONG) {
            return format_wide_string(text, *how, va_arg(arguments->list, const wchar_t *));
        }
        format_string(text, *how, va_arg(arguments->list, const char *));
        return 1;
    case 'c':
    case 'C':
        return format_character(text, *how, arguments);
    case 'p':
        format_pointer(text, *how, arguments);
        return 1;
    case 'n':
        store_count(how->length, arguments, text->length);
        return 1;
    case 'm':
        format_string(text, *how, __model_error_message(error, buffer, sizeof buffer));
        return 1;
    case '%':
        __model_text_byte(text, '%');
        return 1;
    default:
        format_float(text, *how, arguments);
        return 1;
    }
}

static int is_conversion(char kind) { return kind != '\0' && strchr("diuoxXsScCpnm%eEfFgGaA", kind) != NULL; }

int __model_text_format(struct model_text *text, const char *format, va_list list) {
    struct arguments arguments;
    int error = errno;
    int fine = 1;
    va_copy(arguments.list, list);
    while (fine && *format != '\0') {
        const char *end = format;
        while (*end != '\0' && *end != '%') {
            end++;
        }
        __model_text_bytes(text, format, (size_t)(end - format));
        format = end;
        if (*format == '\0') {
            break;
        }
        struct conversion how = {.precision = -1};
        const char *at = parse_flags(format + 1, &how);
        at = parse_width(at, &how, &arguments);
        at = parse_length(at, &how);
        how.kind = *at;
        if (is_conversion(how.kind)) {
            fine = convert(text, &how, &arguments, error);
            format = at + 1;
        } else if (how.kind == '\0') {
            fine = 0;
            errno = EINVAL;
        } else {
            /* An unknown conversion is printed as it stands. */
            __model_text_bytes(text, format, (size_t)(at + 1 - format));
            format = at + 1;
        }
    }
    va_end(arguments.list);
    return fine;
}
