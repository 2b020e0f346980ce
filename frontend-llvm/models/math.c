/* Functions of math.h that take numbers apart, put them together or classify them. What is one operation of the IR
 * (sin, pow, floor, fmin …) the front end lowers by itself; the long double forms of those that the IR has for every
 * width are here. */
#define _GNU_SOURCE
#include <fenv.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>

#undef isnan
#undef isinf
#undef finite
#undef signbit

union double_bits {
    double value;
    uint64_t bits;
};

union float_bits {
    float value;
    uint32_t bits;
};

union long_double_bits {
    long double value;
    struct {
        uint64_t mantissa;
        uint16_t exponent; /* and the sign above it */
    };
};

/* 2 to a power that is a normal double. */
static double power_of_two(int exponent) {
    union double_bits as = {.bits = (uint64_t)(exponent + 1023) << 52};
    return as.value;
}

/* Steps of normal powers; the last one alone may round. */
double scalbn(double value, int exponent) {
    for (int i = 0; i < 3 && exponent > 1023; i++) {
        value *= power_of_two(1023);
        exponent -= 1023;
    }
    for (int i = 0; i < 3 && exponent < -1022; i++) {
        /* Leaves 53 bits of room, so that no step before the last falls below the normal numbers and rounds. */
        value *= power_of_two(-1022) * power_of_two(53);
        exponent += 1022 - 53;
    }
    exponent = exponent > 1023 ? 1023 : exponent < -1022 ? -1022 : exponent;
    return value * power_of_two(exponent);
}

float scalbnf(float value, int exponent) { return (float)scalbn(value, exponent); }

double scalbln(double value, long exponent) {
    return scalbn(value, exponent > INT_MAX ? INT_MAX : exponent < INT_MIN ? INT_MIN : (int)exponent);
}

double ldexp(double value, int exponent) { return scalbn(value, exponent); }

float ldexpf(float value, int exponent) { return (float)scalbn(value, exponent); }

long double scalbnl(long double value, int exponent) {
    union long_double_bits huge = {.mantissa = 1ull << 63, .exponent = 0x7ffe};
    union long_double_bits tiny = {.mantissa = 1ull << 63, .exponent = 1 + 64};
    for (int i = 0; i < 3 && exponent > 16383; i++) {
        value *= huge.value;
        exponent -= 16383;
    }
    for (int i = 0; i < 3 && exponent < -16382; i++) {
        value *= tiny.value;
        exponent += 16382 - 64;
    }
    exponent = exponent > 16383 ? 16383 : exponent < -16382 ? -16382 : exponent;
    union long_double_bits power = {.mantissa = 1ull << 63, .exponent = (uint16_t)(exponent + 16383)};
    return value * power.value;
}

long double ldexpl(long double value, int exponent) { return scalbnl(value, exponent); }

double frexp(double value, int *exponent) {
    union double_bits as = {.value = value};
    int raw = (int)(as.bits >> 52) & 0x7ff;
    *exponent = 0;
    if (value == 0 || raw == 0x7ff) {
        return value;
    }
    int shift = 0;
    if (raw == 0) {
        as.value = value * 18014398509481984.0;
        shift = 54;
        raw = (int)(as.bits >> 52) & 0x7ff;
    }
    *exponent = raw - 1022 - shift;
    as.bits = (as.bits & ~(0x7ffull << 52)) | 1022ull << 52;
    return as.value;
}

float frexpf(float value, int *exponent) { return (float)frexp(value, exponent); }

long double frexpl(long double value, int *exponent) {
    union long_double_bits as = {.value = value};
    *exponent = 0;
    if (value == 0 || (as.exponent & 0x7fff) == 0x7fff) {
        return value;
    }
    int shift = 0;
    if ((as.exponent & 0x7fff) == 0) {
        as.value = value * 18446744073709551616.0L;
        shift = 64;
    }
    *exponent = (as.exponent & 0x7fff) - 16382 - shift;
    as.exponent = (uint16_t)((as.exponent & 0x8000) | 16382);
    return as.value;
}

int ilogb(double value) {
    int exponent;
    if (value == 0) {
        return FP_ILOGB0;
    }
    if (value != value || value - value != 0) {
        return value != value ? FP_ILOGBNAN : INT_MAX;
    }
    frexp(value, &exponent);
    return exponent - 1;
}

int ilogbf(float value) { return ilogb(value); }

double logb(double value) {
    if (value == 0) {
        return -HUGE_VAL;
    }
    return value - value != 0 ? value * value : ilogb(value);
}

float logbf(float value) { return (float)logb(value); }

double modf(double value, double *whole) {
    double truncated = __builtin_trunc(value);
    *whole = truncated;
    double rest = value - value == 0 ? value - truncated : value != value ? value : 0;
    return __builtin_copysign(rest, value);
}

float modff(float value, float *whole) {
    double truncated;
    double rest = modf(value, &truncated);
    *whole = (float)truncated;
    return (float)rest;
}

long double modfl(long double value, long double *whole) {
    long double truncated = __builtin_elementwise_trunc(value);
    *whole = truncated;
    long double rest = value - value == 0 ? value - truncated : value != value ? value : 0;
    return __builtin_elementwise_copysign(rest, value);
}

long lround(double value) { return (long)__builtin_round(value); }

long lroundf(float value) { return (long)__builtin_roundf(value); }

long lroundl(long double value) { return (long)__builtin_elementwise_round(value); }

long long llround(double value) { return lround(value); }

long long llroundf(float value) { return lroundf(value); }

long long llroundl(long double value) { return lroundl(value); }

/* The rounding mode is always to the nearest, ties to even. */
long lrint(double value) { return (long)__builtin_elementwise_roundeven(value); }

long lrintf(float value) { return (long)__builtin_elementwise_roundeven(value); }

long lrintl(long double value) { return (long)__builtin_elementwise_roundeven(value); }

long long llrint(double value) { return lrint(value); }

long long llrintf(float value) { return lrintf(value); }

long long llrintl(long double value) { return lrintl(value); }

double fdim(double left, double right) { return left <= right ? 0 : left - right; }

float fdimf(float left, float right) { return left <= right ? 0 : left - right; }

long double fdiml(long double left, long double right) { return left <= right ? 0 : left - right; }

double nan(const char *tag) {
    (void)tag;
    return __builtin_nan("");
}

float nanf(const char *tag) {
    (void)tag;
    return __builtin_nanf("");
}

long double nanl(const char *tag) {
    (void)tag;
    return __builtin_nanl("");
}

double nextafter(double from, double to) {
    union double_bits as = {.value = from};
    if (from != from || to != to) {
        return from + to;
    }
    if (from == to) {
        return to;
    }
    if (from == 0) {
        as.bits = 1;
        return __builtin_copysign(as.value, to);
    }
    as.bits += (from < to) == (from > 0) ? 1 : -1ull;
    return as.value;
}

float nextafterf(float from, float to) {
    union float_bits as = {.value = from};
    if (from != from || to != to) {
        return from + to;
    }
    if (from == to) {
        return to;
    }
    if (from == 0) {
        as.bits = 1;
        return __builtin_copysignf(as.value, to);
    }
    as.bits += (from < to) == (from > 0) ? 1 : -1u;
    return as.value;
}

double remquo(double left, double right, int *quotient) {
    double rest = remainder(left, right);
    double times = __builtin_round((left - rest) / right);
    *quotient = (int)fmod(times, 8);
    return rest;
}

/* fmod is exact; the rest is moved to the nearer multiple, ties to the even one. */
double remainder(double left, double right) {
    double size = __builtin_fabs(right);
    double rest = fmod(__builtin_fabs(left), size);
    if (rest == rest && size - size == 0) {
        int odd = __builtin_fabs(left) - rest != 0 && fmod(__builtin_fabs(left), 2 * size) >= size;
        double other = size - rest;
        if (rest > other || (rest == other && odd)) {
            rest = -other;
        }
    }
    return __builtin_signbit(left) ? -rest : rest;
}

double drem(double left, double right) { return remainder(left, right); }

float remainderf(float left, float right) { return (float)remainder(left, right); }

double exp10(double value) { return pow(10, value); }

float exp10f(float value) { return (float)pow(10, value); }

double pow10(double value) { return pow(10, value); }

long double fabsl(long double value) { return __builtin_elementwise_abs(value); }

long double floorl(long double value) { return __builtin_elementwise_floor(value); }

long double ceill(long double value) { return __builtin_elementwise_ceil(value); }

long double truncl(long double value) { return __builtin_elementwise_trunc(value); }

long double roundl(long double value) { return __builtin_elementwise_round(value); }

long double rintl(long double value) { return __builtin_elementwise_roundeven(value); }

long double nearbyintl(long double value) { return __builtin_elementwise_roundeven(value); }

long double sqrtl(long double value) { return __builtin_elementwise_sqrt(value); }

long double copysignl(long double value, long double sign) { return __builtin_elementwise_copysign(value, sign); }

long double fminl(long double left, long double right) { return left != left || right < left ? right : left; }

long double fmaxl(long double left, long double right) { return left != left || right > left ? right : left; }

/* Classes. */
#define CLASSIFICATION(suffix, type, smallest)                                                                         \
    int __isnan##suffix(type value) { return value != value; }                                                         \
    int __isinf##suffix(type value) {                                                                                  \
        return value == value && value - value != 0 ? (value > 0 ? 1 : -1) : 0;                                        \
    }                                                                                                                  \
    int __finite##suffix(type value) { return value - value == 0; }                                                    \
    int __fpclassify##suffix(type value) {                                                                             \
        if (value != value) {                                                                                          \
            return FP_NAN;                                                                                             \
        }                                                                                                              \
        if (value - value != 0) {                                                                                      \
            return FP_INFINITE;                                                                                        \
        }                                                                                                              \
        if (value == 0) {                                                                                              \
            return FP_ZERO;                                                                                            \
        }                                                                                                              \
        return value < (smallest) && value > -(smallest) ? FP_SUBNORMAL : FP_NORMAL;                                   \
    }                                                                                                                  \
    int isnan##suffix(type value) { return __isnan##suffix(value); }                                                   \
    int isinf##suffix(type value) { return __isinf##suffix(value); }                                                   \
    int finite##suffix(type value) { return __finite##suffix(value); }

CLASSIFICATION(, double, __DBL_MIN__)
CLASSIFICATION(f, float, __FLT_MIN__)
CLASSIFICATION(l, long double, __LDBL_MIN__)

int __signbit(double value) {
    union double_bits as = {.value = value};
    return (int)(as.bits >> 63);
}

int __signbitf(float value) {
    union float_bits as = {.value = value};
    return (int)(as.bits >> 31);
}

int __signbitl(long double value) {
    union long_double_bits as = {.value = value};
    return as.exponent >> 15;
}

/* The floating-point environment cannot be changed and raises nothing. */
int fegetround(void) { return FE_TONEAREST; }

int fesetround(int mode) { return mode == FE_TONEAREST ? 0 : 1; }

int feclearexcept(int exceptions) {
    (void)exceptions;
    return 0;
}

int feraiseexcept(int exceptions) {
    (void)exceptions;
    return 0;
}

int fetestexcept(int exceptions) {
    (void)exceptions;
    return 0;
}
