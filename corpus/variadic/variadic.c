// Functions with a variable number of arguments, of every class and more of them than registers hold.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct pair {
    int first, second;
};

struct vector {
    double x, y, z;
};

struct mixed {
    double weight;
    long id;
};

static int sum(int count, ...)
{
    va_list args;
    int total = 0;

    va_start(args, count);
    for (int i = 0; i < count; i++)
        total += va_arg(args, int);
    va_end(args);
    return total;
}

static double average(int count, ...)
{
    va_list args;
    double total = 0;

    va_start(args, count);
    for (int i = 0; i < count; i++)
        total += va_arg(args, double);
    va_end(args);
    return total / count;
}

static double evaluate(const char *types, ...)
{
    va_list args;
    double value = 0;

    va_start(args, types);
    for (; *types; types++) {
        switch (*types) {
        case 'i':
            value += va_arg(args, int);
            break;
        case 'l':
            value += (double)va_arg(args, long long);
            break;
        case 'd':
            value += va_arg(args, double);
            break;
        case 'L':
            value += (double)va_arg(args, long double);
            break;
        case 's':
            value += (double)strlen(va_arg(args, const char *));
            break;
        case 'p': {
            struct pair p = va_arg(args, struct pair);
            value += p.first * p.second;
            break;
        }
        case 'v': {
            struct vector v = va_arg(args, struct vector);
            value += v.x + v.y + v.z;
            break;
        }
        case 'm': {
            struct mixed m = va_arg(args, struct mixed);
            value += m.weight * (double)m.id;
            break;
        }
        }
    }
    va_end(args);
    return value;
}

static int format(char *out, size_t size, const char *pattern, ...)
{
    va_list args;
    int length;

    va_start(args, pattern);
    length = vsnprintf(out, size, pattern, args);
    va_end(args);
    return length;
}

static int largest_from(int count, va_list args)
{
    int largest = va_arg(args, int);

    while (--count > 0) {
        int next = va_arg(args, int);
        if (next > largest)
            largest = next;
    }
    return largest;
}

static int spread(int count, ...)
{
    va_list args, again;
    int largest, smallest;

    va_start(args, count);
    va_copy(again, args);
    largest = largest_from(count, args);
    smallest = va_arg(again, int);
    for (int i = 1; i < count; i++) {
        int next = va_arg(again, int);
        if (next < smallest)
            smallest = next;
    }
    va_end(again);
    va_end(args);
    return largest - smallest;
}

int main(void)
{
    char text[16];
    struct pair p = {6, 7};
    struct vector v = {0.5, 1.5, 2.0};
    struct mixed m = {2.5, 4};

    printf("sum %d %d\n", sum(3, 1, 2, 3), sum(10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
    printf("average %.3f %.3f\n", average(2, 1.0, 2.5), average(10, 1., 2., 3., 4., 5., 6., 7., 8., 9., 10.));
    printf("value %.2f\n", evaluate("idlsLpvm", 1, 2.25, 3000000000LL, "four", 5.5L, p, v, m));
    printf("pairs %.0f\n", evaluate("pppppp", p, p, p, p, p, (struct pair){1, 1}));
    printf("mixed %.2f\n", evaluate("mimdmimdm", m, 1, m, 0.25, m, 2, m, 0.5, m));
    int length = format(text, sizeof text, "%s-%05d-%.1f", "loom", 42, 9.75);
    printf("'%s' has %d characters of %d\n", text, (int)strlen(text), length);
    length = format(text, sizeof text, "%s %s %s", "warp", "weft", "shuttle");
    printf("'%s' was cut from %d\n", text, length);
    printf("spread %d, small types %d\n", spread(5, 3, -4, 10, 0, 7), sum(3, (char)'a', (short)-2, (_Bool)1));
    return 0;
}
