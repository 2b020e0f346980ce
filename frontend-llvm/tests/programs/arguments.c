/* Structs as arguments and results, in registers and in memory, and variadic functions. */
#include <complex.h>
#include <stdarg.h>
#include <stdio.h>

struct ints {
    int a, b;
};
struct mixed {
    int a;
    float b;
    double c;
};
struct longs {
    long a, b, c;
};
struct text {
    char bytes[20];
};
struct floats {
    float x, y;
};
struct three {
    float x, y, z;
};
struct wide {
    long double value;
    int number;
};
struct small {
    char bytes[3];
};
struct bits {
    unsigned a : 3;
    int b : 7;
    unsigned long long c : 40;
    _Bool d : 1;
};
struct huge {
    __int128 value;
};
union either {
    int number;
    float fraction;
    char bytes[8];
};

static struct ints of_ints(struct ints s) { return (struct ints){s.a + 1, s.b * 2}; }

static struct mixed of_mixed(struct mixed s) {
    s.c += s.b + s.a;
    return s;
}

static struct longs of_longs(struct longs s) {
    s.c += s.a + s.b;
    return s;
}

static struct text of_text(struct text s) {
    s.bytes[3] = 'z';
    return s;
}

static struct floats of_floats(struct floats s) {
    s.x += s.y;
    return s;
}

static struct three of_three(struct three s) {
    s.z += s.y;
    return s;
}

static struct wide of_wide(struct wide s) {
    s.value *= 3;
    return s;
}

static struct small of_small(struct small s) {
    s.bytes[1]++;
    return s;
}

static struct bits of_bits(struct bits s) {
    s.b -= 5;
    s.c *= 3;
    return s;
}

static struct huge of_huge(struct huge s) {
    s.value <<= 70;
    return s;
}

static union either of_either(union either u) {
    u.bytes[5] = 9;
    return u;
}

static double next(char kind, va_list *list) {
    switch (kind) {
    case 'i':
        return va_arg(*list, int);
    case 'l':
        return va_arg(*list, long);
    case 'd':
        return va_arg(*list, double);
    case 'L':
        return va_arg(*list, long double);
    case 'p':
        return *va_arg(*list, int *);
    case 'I': {
        struct ints s = va_arg(*list, struct ints);
        return s.a + s.b;
    }
    case 'm': {
        struct mixed s = va_arg(*list, struct mixed);
        return s.a + s.b + s.c;
    }
    case 'g': {
        struct longs s = va_arg(*list, struct longs);
        return s.a + s.b + s.c;
    }
    case 't': {
        struct text s = va_arg(*list, struct text);
        return s.bytes[19];
    }
    case 'f': {
        struct floats s = va_arg(*list, struct floats);
        return s.x + s.y;
    }
    case '3': {
        struct three s = va_arg(*list, struct three);
        return s.x + s.y + s.z;
    }
    case 'w': {
        struct wide s = va_arg(*list, struct wide);
        return s.value + s.number;
    }
    case 's': {
        struct small s = va_arg(*list, struct small);
        return s.bytes[2];
    }
    case 'b': {
        struct bits s = va_arg(*list, struct bits);
        return s.a + s.b + s.c;
    }
    }
    return 0;
}

static double sum(const char *kinds, ...) {
    va_list list;
    double total = 0;
    va_start(list, kinds);
    for (; *kinds; kinds++) {
        total += next(*kinds, &list);
    }
    va_end(list);
    return total;
}

static int twice(int first, ...) {
    va_list list, copy;
    va_start(list, first);
    va_copy(copy, list);
    int result = va_arg(list, int) * 100 + va_arg(copy, int) + va_arg(list, int);
    va_end(copy);
    va_end(list);
    return result + first;
}

int main(void) {
    struct ints ints = of_ints((struct ints){1, 2});
    struct mixed mixed = of_mixed((struct mixed){1, 2, 3});
    struct longs longs = of_longs((struct longs){1, 2, 3});
    struct text text = {"hello world"};
    text.bytes[19] = 7;
    text = of_text(text);
    struct floats floats = of_floats((struct floats){1.5, 2});
    struct three three = of_three((struct three){1, 2, 3});
    struct wide wide = of_wide((struct wide){1.5L, 2});
    struct small small = of_small((struct small){{1, 2, 3}});
    struct bits bits = of_bits((struct bits){5, -3, 0x123456789a, 1});
    struct huge huge = of_huge((struct huge){3});
    union either either = of_either((union either){.number = 77});
    printf("%d %d %d %g %g %ld %s\n", ints.a, ints.b, mixed.a, mixed.b, mixed.c, longs.c, text.bytes);
    printf("%g %g %Lg %d %d\n", floats.x, three.z, wide.value, wide.number, small.bytes[1]);
    printf("%d %d %llx %d\n", bits.a, bits.b, (unsigned long long)bits.c, bits.d);
    printf("%lx %d %d\n", (long)(huge.value >> 64), either.number, either.bytes[5]);
    int pointed = 42;
    printf("%g\n", sum("ildLImgtwf3pbsi", 1, 2L, 3.5, 4.25L, ints, mixed, longs, text, wide, floats, three, &pointed, bits,
                       small, 1000));
    printf("%g\n", sum("iiiiiiiiddddddddddLLwl", 1, 2, 3, 4, 5, 6, 7, 8, 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 1.5L,
                       2.5L, wide, 7L));
    double (*through)(const char *, ...) = sum;
    printf("%d %g\n", twice(3, 4, 5), through("id", 3, 4.0));
    double complex z = 1 + 2 * I;
    z = z * z + conj(z);
    float complex narrow = 1 + 3 * I;
    narrow *= narrow;
    printf("%g %g %g %g\n", creal(z), cimag(z), crealf(narrow), cimagf(narrow));
    return 0;
}
