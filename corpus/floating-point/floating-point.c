// Floating-point numbers of three widths: arithmetic, conversion to and from integers, special values, and their
// bits.
#include <float.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static double square_root(double x)
{
    double guess = x / 2;

    for (int i = 0; i < 20; i++)
        guess = (guess + x / guess) / 2;
    return guess;
}

static float mean(const float *values, int count)
{
    float sum = 0;

    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum / (float)count;
}

static long double harmonic(int n)
{
    long double sum = 0;

    for (int i = 1; i <= n; i++)
        sum += 1.0L / i;
    return sum;
}

static uint64_t bits_of(double d)
{
    uint64_t bits;

    memcpy(&bits, &d, sizeof bits);
    return bits;
}

int main(void)
{
    volatile double zero = 0.0;
    double infinity = 1.0 / zero, nan = zero / zero;
    float third = 1.0f / 3.0f;
    double wide = third;

    printf("root %.10f, mean %.4f, harmonic %.12Lf\n", square_root(2), mean((float[]){1.5f, 2.25f, -8.0f}, 3),
           harmonic(10));
    printf("third as float %.9f, widened %.12f, sum %.17g\n", third, wide, 0.1 + 0.2);
    printf("truncated %d %d %u %lld\n", (int)3.99, (int)-3.99, (unsigned)4e9, (long long)-1e15);
    printf("from integers %.1f %.1f %.1Lf\n", (double)INT64_MIN, (double)(float)16777217, (long double)UINT64_MAX);
    printf("infinity %f %f, nan equals itself %d, unordered %d %d\n", infinity, -infinity, nan == nan, nan < 1,
           nan > 1);
    printf("minus zero equals zero %d, bits %016llx %016llx\n", -0.0 == 0.0, (unsigned long long)bits_of(-0.0),
           (unsigned long long)bits_of(1.5));
    printf("formats %e %g %g %G %.3g %5.1f|%-8.2f|%+.0f\n", 12345.678, 0.0001, 1e-5, 1e20, 2.0 / 3, 9.96, 3.14159, 2.5);
    printf("limits %d %d %d\n", FLT_DIG, DBL_MANT_DIG, LDBL_MANT_DIG);

    long double precise = 1.0L + LDBL_EPSILON;
    printf("long double keeps epsilon %d, double does not %d\n", precise > 1.0L, (double)precise > 1.0);
    double accumulated = 0;
    for (int i = 0; i < 10; i++)
        accumulated += 0.1;
    printf("ten tenths %.17f, is one %d\n", accumulated, accumulated == 1.0);
    float overflow = 3e38f;
    overflow *= 10;
    printf("overflow %f, underflow %g\n", overflow, DBL_MIN / 4);
    int n = 7;
    n *= 1.5;
    n /= 0.4f;
    printf("compound %d, conditional %.2f\n", n, n > 20 ? 1 : 0.25);
    return 0;
}
