/* Integers from text. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

#include "model.h"

struct parsed {
    unsigned long magnitude;
    bool negative;
    bool overflow;
};

static int digit_value(char byte) {
    if (byte >= '0' && byte <= '9') {
        return byte - '0';
    }
    if (byte >= 'a' && byte <= 'z') {
        return byte - 'a' + 10;
    }
    return byte >= 'A' && byte <= 'Z' ? byte - 'A' + 10 : 99;
}

static bool is_space(char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

static struct parsed parse(const char *text, char **end, int base) {
    struct parsed parsed = {0};
    const char *at = text;
    if (end != NULL) {
        *end = (char *)text;
    }
    if (base < 0 || base == 1 || base > 36) {
        errno = EINVAL;
        return parsed;
    }
    while (is_space(*at)) {
        at++;
    }
    if (*at == '-' || *at == '+') {
        parsed.negative = *at == '-';
        at++;
    }
    if ((base == 0 || base == 16) && *at == '0' && (at[1] == 'x' || at[1] == 'X') && digit_value(at[2]) < 16) {
        at += 2;
        base = 16;
    } else if (base == 0) {
        base = *at == '0' ? 8 : 10;
    }
    const char *begin = at;
    for (int digit = digit_value(*at); digit < base; at++, digit = digit_value(*at)) {
        if (__builtin_mul_overflow(parsed.magnitude, (unsigned long)base, &parsed.magnitude) ||
            __builtin_add_overflow(parsed.magnitude, (unsigned long)digit, &parsed.magnitude)) {
            parsed.overflow = true;
        }
    }
    if (at > begin && end != NULL) {
        *end = (char *)at;
    }
    return parsed;
}

long strtol(const char *text, char **end, int base) {
    struct parsed parsed = parse(text, end, base);
    unsigned long limit = (unsigned long)LONG_MAX + (parsed.negative ? 1 : 0);
    if (parsed.overflow || parsed.magnitude > limit) {
        errno = ERANGE;
        return parsed.negative ? LONG_MIN : LONG_MAX;
    }
    return (long)(parsed.negative ? -parsed.magnitude : parsed.magnitude);
}

unsigned long strtoul(const char *text, char **end, int base) {
    struct parsed parsed = parse(text, end, base);
    if (parsed.overflow) {
        errno = ERANGE;
        return ULONG_MAX;
    }
    return parsed.negative ? -parsed.magnitude : parsed.magnitude;
}

long long strtoll(const char *text, char **end, int base) { return strtol(text, end, base); }

unsigned long long strtoull(const char *text, char **end, int base) { return strtoul(text, end, base); }

long long strtoq(const char *text, char **end, int base) { return strtol(text, end, base); }

unsigned long long strtouq(const char *text, char **end, int base) { return strtoul(text, end, base); }

intmax_t strtoimax(const char *text, char **end, int base) { return strtol(text, end, base); }

uintmax_t strtoumax(const char *text, char **end, int base) { return strtoul(text, end, base); }

int atoi(const char *text) { return (int)strtol(text, NULL, 10); }

long atol(const char *text) { return strtol(text, NULL, 10); }

long long atoll(const char *text) { return strtol(text, NULL, 10); }

/* The names that newer headers and inline functions use. */
long __isoc23_strtol(const char *text, char **end, int base) { return strtol(text, end, base); }

unsigned long __isoc23_strtoul(const char *text, char **end, int base) { return strtoul(text, end, base); }

long long __isoc23_strtoll(const char *text, char **end, int base) { return strtol(text, end, base); }

unsigned long long __isoc23_strtoull(const char *text, char **end, int base) { return strtoul(text, end, base); }

intmax_t __isoc23_strtoimax(const char *text, char **end, int base) { return strtol(text, end, base); }

uintmax_t __isoc23_strtoumax(const char *text, char **end, int base) { return strtoul(text, end, base); }

long __strtol_internal(const char *text, char **end, int base, int group) {
    (void)group;
    return strtol(text, end, base);
}

unsigned long __strtoul_internal(const char *text, char **end, int base, int group) {
    (void)group;
    return strtoul(text, end, base);
}
