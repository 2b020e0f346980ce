/* Floating-point numbers from text. The syntax is checked here, on one pass over the program's bytes; the value comes
 * from the primitive float.parse, which gives a double. A float is rounded from it a second time, a long double is no
 * finer. */
#define _GNU_SOURCE
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model.h"

static bool is_digit(char byte, bool hexadecimal) {
    if (byte >= '0' && byte <= '9') {
        return true;
    }
    return hexadecimal && ((byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F'));
}

/* Takes digits and at most one point; says whether there was a digit, and one that is not zero. */
static const char *take_digits(struct model_text *number, const char *at, bool hexadecimal, bool *any, bool *nonzero) {
    bool point = false;
    for (;; at++) {
        char byte = *at;
        if (is_digit(byte, hexadecimal)) {
            *any = true;
            *nonzero = *nonzero || byte != '0';
        } else if (byte == '.' && !point) {
            point = true;
        } else {
            return at;
        }
        __model_text_byte(number, byte);
    }
}

/* Takes an exponent if it is complete. */
static const char *take_exponent(struct model_text *number, const char *at, char letter) {
    char lower = (char)(*at | 0x20);
    if (lower != letter) {
        return at;
    }
    size_t sign = at[1] == '-' || at[1] == '+' ? 1 : 0;
    if (!is_digit(at[1 + sign], false)) {
        return at;
    }
    __model_text_byte(number, letter);
    if (sign != 0) {
        __model_text_byte(number, at[1]);
    }
    for (at += 1 + sign; is_digit(*at, false); at++) {
        __model_text_byte(number, *at);
    }
    return at;
}

struct parsed {
    double value;
    const char *end; /* null when there is no number */
    bool nonzero;    /* a finite number that is not zero, by its digits */
    bool decimal;
};

static struct parsed parse_finite(const char *at) {
    struct model_text number;
    struct parsed parsed = {.end = NULL};
    bool any = false;
    bool hexadecimal = at[0] == '0' && (at[1] == 'x' || at[1] == 'X') &&
                       (is_digit(at[2], true) || (at[2] == '.' && is_digit(at[3], true)));
    __model_text_begin(&number);
    if (hexadecimal) {
        __model_text_bytes(&number, "0x", 2);
        at += 2;
    }
    at = take_digits(&number, at, hexadecimal, &any, &parsed.nonzero);
    if (any) {
        parsed.end = take_exponent(&number, at, hexadecimal ? 'p' : 'e');
        parsed.value = __heddle_float_parse(number.bytes, number.length);
    }
    parsed.decimal = !hexadecimal;
    __model_text_end(&number);
    return parsed;
}

static bool is_name_byte(char byte) {
    return is_digit(byte, false) || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

static struct parsed parse_magnitude(const char *at) {
    if (strncasecmp(at, "inf", 3) == 0) {
        size_t length = strncasecmp(at, "infinity", 8) == 0 ? 8 : 3;
        return (struct parsed){.value = HUGE_VAL, .end = at + length};
    }
    if (strncasecmp(at, "nan", 3) == 0) {
        const char *end = at + 3;
        if (*end == '(') {
            const char *close = end + 1;
            while (is_name_byte(*close)) {
                close++;
            }
            end = *close == ')' ? close + 1 : end;
        }
        return (struct parsed){.value = __builtin_nan(""), .end = end};
    }
    return parse_finite(at);
}

static struct parsed parse(const char *text, char **end, bool *negative) {
    const char *at = text;
    while (*at == ' ' || (*at >= '\t' && *at <= '\r')) {
        at++;
    }
    *negative = *at == '-';
    if (*at == '-' || *at == '+') {
        at++;
    }
    struct parsed parsed = parse_magnitude(at);
    if (end != NULL) {
        *end = (char *)(parsed.end == NULL ? text : parsed.end);
    }
    if (parsed.end == NULL) {
        *negative = false;
    }
    return parsed;
}

/* A subnormal decimal number is hardly ever exact, which is what the C library reports. */
static void check_range(const struct parsed *parsed, double value, double smallest) {
    if (parsed->nonzero && (value == HUGE_VAL || value == 0 || (value < smallest && parsed->decimal))) {
        errno = ERANGE;
    }
}

double strtod(const char *text, char **end) {
    bool negative;
    struct parsed parsed = parse(text, end, &negative);
    check_range(&parsed, parsed.value, DBL_MIN);
    return negative ? -parsed.value : parsed.value;
}

float strtof(const char *text, char **end) {
    bool negative;
    struct parsed parsed = parse(text, end, &negative);
    float value = (float)parsed.value;
    check_range(&parsed, value, FLT_MIN);
    return negative ? -value : value;
}

long double strtold(const char *text, char **end) { return strtod(text, end); }

double atof(const char *text) { return strtod(text, NULL); }

double __strtod_internal(const char *text, char **end, int group) {
    (void)group;
    return strtod(text, end);
}

float __strtof_internal(const char *text, char **end, int group) {
    (void)group;
    return strtof(text, end);
}

long double __strtold_internal(const char *text, char **end, int group) {
    (void)group;
    return strtold(text, end);
}
