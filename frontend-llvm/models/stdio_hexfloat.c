/* The hexadecimal form of floating-point numbers, as printf's `%a` writes it: one digit before the point, which is 1
 * for a normal double, 0 for a subnormal one and up to f for a long double, whose leading bit is stored. */
#include <string.h>

#include "model.h"

struct parts {
    uint64_t lead;     /* the digit before the point */
    uint64_t fraction; /* the digits behind it, in the low bits */
    int digits;        /* how many there are */
    int exponent;      /* of two */
};

static struct parts parts_of_double(double value) {
    union {
        double value;
        uint64_t bits;
    } as = {.value = value};
    int exponent = (int)(as.bits >> 52) & 0x7ff;
    struct parts parts = {.fraction = as.bits & 0xfffffffffffff, .digits = 13};
    if (exponent == 0) {
        parts.exponent = parts.fraction == 0 ? 0 : -1022;
    } else {
        parts.lead = 1;
        parts.exponent = exponent - 1023;
    }
    return parts;
}

static struct parts parts_of_long_double(long double value) {
    union {
        long double value;
        struct {
            uint64_t mantissa;
            uint16_t exponent;
        };
    } as = {.value = value};
    int exponent = as.exponent & 0x7fff;
    struct parts parts = {.lead = as.mantissa >> 60, .fraction = as.mantissa & 0xfffffffffffffff, .digits = 15};
    if (as.mantissa != 0) {
        parts.exponent = (exponent == 0 ? 1 : exponent) - 16383 - 3;
    }
    return parts;
}

/* To the nearest, ties to even. A carry out of a lead of f makes it 1 with another exponent. */
static void round_to(struct parts *parts, int precision) {
    int shift = 4 * (parts->digits - precision);
    uint64_t dropped = parts->fraction & (((uint64_t)1 << shift) - 1);
    uint64_t half = (uint64_t)1 << (shift - 1);
    parts->fraction >>= shift;
    parts->digits = precision;
    uint64_t last = precision == 0 ? parts->lead : parts->fraction;
    if (dropped > half || (dropped == half && (last & 1))) {
        parts->fraction++;
        if (parts->fraction >> (4 * precision) != 0) {
            parts->fraction = 0;
            parts->lead++;
        }
    }
    if (parts->lead == 16) {
        parts->lead = 1;
        parts->exponent += 4;
    }
}

static char digit_of(uint64_t value) { return (char)(value < 10 ? '0' + value : 'a' + value - 10); }

static void put_exponent(struct model_text *text, int exponent) {
    char digits[8];
    size_t at = sizeof digits;
    unsigned rest = exponent < 0 ? -(unsigned)exponent : (unsigned)exponent;
    do {
        at--;
        digits[at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    __model_text_byte(text, 'p');
    __model_text_byte(text, exponent < 0 ? '-' : '+');
    __model_text_bytes(text, digits + at, sizeof digits - at);
}

void __model_text_hexadecimal(struct model_text *text, long double value, int is_long, int precision, int alternate) {
    struct parts parts = is_long ? parts_of_long_double(value) : parts_of_double((double)value);
    if (precision >= 0 && precision < parts.digits) {
        round_to(&parts, precision);
    }
    int digits = parts.digits;
    while (precision < 0 && digits > 0 && ((parts.fraction >> (4 * (parts.digits - digits))) & 15) == 0) {
        digits--;
    }
    __model_text_bytes(text, "0x", 2);
    __model_text_byte(text, digit_of(parts.lead));
    if (digits > 0 || precision > 0 || alternate) {
        __model_text_byte(text, '.');
    }
    for (int i = 1; i <= digits; i++) {
        __model_text_byte(text, digit_of((parts.fraction >> (4 * (parts.digits - i))) & 15));
    }
    __model_text_fill(text, '0', (long)precision - digits);
    put_exponent(text, parts.exponent);
}
