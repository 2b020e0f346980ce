// Integers from 8 to 128 bits: what wraps, what is extended, and what the compiler's builtins say about them.
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef unsigned __int128 uint128;
typedef __int128 int128;

static void print_u128(const char *label, uint128 value)
{
    char digits[40];
    int i = 40;

    digits[--i] = '\0';
    do {
        digits[--i] = (char)('0' + (int)(value % 10));
        value /= 10;
    } while (value != 0);
    printf("%s %s\n", label, &digits[i]);
}

static uint32_t rotate_left(uint32_t x, unsigned n)
{
    return (x << n) | (x >> (32 - n));
}

static uint64_t hash(const char *s)
{
    uint64_t h = 14695981039346656037ULL;

    while (*s)
        h = (h ^ (unsigned char)*s++) * 1099511628211ULL;
    return h;
}

static uint64_t modular_power(uint64_t base, uint64_t exponent, uint64_t modulus)
{
    uint64_t result = 1;

    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = (uint64_t)((uint128)result * base % modulus);
        base = (uint64_t)((uint128)base * base % modulus);
    }
    return result;
}

int main(void)
{
    uint8_t byte = 250;
    int8_t small = 127;
    uint16_t half = 0xffff;

    byte += 10;
    small = (int8_t)(small + 1);
    half++;
    printf("wrapped %u %d %u\n", byte, small, half);
    printf("sign extended %d %u %" PRId64 "\n", (int8_t)0x80, (uint32_t)(int8_t)0x80, (int64_t)(int32_t)0x80000000u);
    printf("divided %d %d %d %d\n", -7 / 2, -7 % 2, 7 / -2, 7 % -2);
    printf("shifted %d %u %" PRIx64 "\n", -16 >> 2, 0x80000000u >> 31, (uint64_t)1 << 63);
    printf("compared %d %d\n", -1 < (long)1u, (unsigned)-1 > 1u);
    printf("rotated %08" PRIx32 ", hash %016" PRIx64 "\n", rotate_left(0x80000001u, 4), hash("heddle"));

    int sum;
    unsigned product;
    bool over = __builtin_add_overflow(INT_MAX, 1, &sum);
    bool fits = !__builtin_mul_overflow(65535u, 65537u, &product);
    long difference;
    bool under = __builtin_sub_overflow(LONG_MIN, 1L, &difference);
    printf("overflow %d (%d), fits %d (%u), underflow %d (%ld)\n", over, sum, fits, product, under, difference);
    printf("counts %d %d %d %d, swapped %x %04x\n", __builtin_popcount(0xf0f0u), __builtin_clz(0x00010000u),
           __builtin_ctzll(1ULL << 40), __builtin_popcountll(UINT64_MAX), __builtin_bswap32(0x11223344u),
           __builtin_bswap16(0xabcd));

    uint128 factorial = 1;
    for (unsigned i = 2; i <= 33; i++)
        factorial *= i;
    print_u128("33! =", factorial);
    print_u128("largest", ~(uint128)0);
    int128 negative = -((int128)1 << 100);
    printf("sign %d, high word %" PRId64 ", divided %" PRId64 "\n", negative < 0, (int64_t)(negative >> 64),
           (int64_t)(negative / ((int128)1 << 90)));
    printf("power %" PRIu64 "\n", modular_power(3, 1000000006, 1000000007));

    bool truth = 42;
    char letter = 'a' + 25;
    enum { RED = 1, GREEN = RED << 3, BOTH = RED | GREEN } colour = BOTH;
    printf("bool %d, char %c, enum %d, comma %d\n", truth, letter, colour, (small = 5, small * 2));
    unsigned long long mixed = 5u - 10LL;
    printf("mixed %llu, ternary %d, not %d %d\n", mixed, half ? 1 : -1, !half, ~half);
    return 0;
}
