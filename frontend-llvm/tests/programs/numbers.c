/* Arithmetic: integers of all widths, floats of all formats, and the builtins on them. */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef int ints __attribute__((vector_size(16)));
typedef float floats __attribute__((vector_size(8)));
typedef short shorts __attribute__((vector_size(16)));

static void builtins(int one) {
    int sum;
    unsigned long product;
    printf("%d ", __builtin_add_overflow(INT_MAX, one, &sum));
    printf("%d ", sum);
    printf("%d ", __builtin_mul_overflow(1UL << 63, 2UL * one, &product));
    printf("%d %d %d\n", __builtin_popcount(0xff0f * one), __builtin_clz(one), __builtin_ctzll(1ULL << 40 * one));
    printf("%d %d %x %lx\n", __builtin_parity(7 * one), __builtin_ffs(8 * one), __builtin_bswap32(0x12345678 * one),
           __builtin_bswap64(0x123456789abcdef0 * one));
    printf("%x %x %d\n", __builtin_rotateleft32(0x80000001u, 4 * one), __builtin_rotateright8(0x81, one), abs(-5 * one));
    printf("%x %d\n", __builtin_bitreverse8(one), __builtin_constant_p(one));
}

static void vectors(int one) {
    ints a = {1, 2, 3, 4}, b = {10, 20, 30, 40};
    a = a * b + 1;
    a[2] = 5;
    a[one] += 100;
    ints greater = a > b;
    floats f = {1.5f, 2.5f};
    f = f * f;
    shorts s = {1, 2, 3, 4, 5, 6, 7, 8};
    s = __builtin_shufflevector(s, s, 7, 6, 5, 4, 3, 2, 1, 0);
    ints cast = (ints)s;
    printf("%d %d %d %d %d\n", a[0], a[1], a[2], a[3], a[one + 1]);
    printf("%d %d %g %g %d %d %d\n", greater[0], greater[3], f[0], f[1], s[0], s[7], cast[0]);
}

static void fractions(void) {
    volatile double x = 2.5, y = -3.7;
    printf("%g %g %g %g %g %g %g %g\n", floor(y), ceil(y), trunc(y), round(x), rint(x), fabs(y), fmod(y, x),
           copysign(x, y));
    printf("%.10g %.10g %.10g %.10g %.10g\n", sqrt(x), pow(x, 3), exp(1), log(x), sin(x));
    printf("%d %d %d %d %d\n", isnan(x / 0 - x / 0), isinf(x / 0), signbit(y) != 0, isnormal(x),
           fpclassify(0.0 * x) == FP_ZERO);
    double whole, mantissa, fraction = modf(y, &whole);
    int exponent;
    mantissa = frexp(x, &exponent);
    printf("%g %g %g %d %g %ld\n", fraction, whole, mantissa, exponent, ldexp(x, 4), lround(y));
    printf("%g %g %g %g\n", fmax(x, y), fmin(x, y), fma(x, y, 1.0), (double)fmaf(x, y, 1.0f));
    long double l = x;
    l = l * l / 3;
    volatile double nan = 0.0 / (x - 2.5);
    printf("%.15Lg %d %d %d %d\n", l, (int)l, nan == nan, nan != nan, nan < 1);
    printf("%d %u %ld %g %g\n", (int)y, (unsigned)x, (long)(float)1e10, (double)(float)0.1, (double)ULONG_MAX);
}

static void integers(int one) {
    __int128 q = (__int128)LONG_MAX * LONG_MAX;
    unsigned __int128 all = (unsigned __int128)-one;
    printf("%lx %lx %ld %lx\n", (long)(q >> 64), (long)q, (long)(q / 1000000007 % 1000), (unsigned long)(all >> 127));
    long long least = LLONG_MIN;
    printf("%lld %lld %d %d\n", least / 3, least % 3, -7 / 2, -7 % 3);
    unsigned char byte = 200;
    printf("%d %d %u %d\n", (signed char)byte, (char)(300 * one), (unsigned)(unsigned short)-one, -1 < 5u);
    printf("%d %d %lx\n", one << 31 >> 31, (int)(1u << 31 >> 31), 1L << one * 33);
    struct {
        unsigned a : 3;
        signed b : 5;
        unsigned long c : 50;
    } bits = {0};
    bits.a = 9 * one;
    bits.b = 17;
    bits.c = ~0UL;
    printf("%u %d %lx\n", bits.a, bits.b, (unsigned long)bits.c);
    union {
        float f;
        uint32_t u;
    } same = {1.0f};
    _Bool truth = one;
    truth |= 4;
    printf("%x %d\n", same.u, truth);
}

int main(int argc, char **argv) {
    (void)argv;
    builtins(argc);
    vectors(argc);
    fractions();
    integers(argc);
    return 0;
}
