// Characters, numbers from text, sorting and searching, and pseudo-random numbers that repeat with their seed.
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word {
    const char *text;
    int count;
};

static int by_count_then_text(const void *a, const void *b)
{
    const struct word *x = a, *y = b;

    if (x->count != y->count)
        return y->count - x->count;
    return strcmp(x->text, y->text);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void classify(void)
{
    static const char sample[] = "aZ5 _\t~\n";
    char upper[sizeof sample];

    for (size_t i = 0; i < sizeof sample; i++) {
        unsigned char c = (unsigned char)sample[i];
        upper[i] = (char)toupper(c);
        if (c)
            printf("%d%d%d%d%d%d%d%d ", isalpha(c) != 0, isdigit(c) != 0, isalnum(c) != 0, isspace(c) != 0,
                   isupper(c) != 0, islower(c) != 0, ispunct(c) != 0, isxdigit(c) != 0);
    }
    printf("\n%.3s %c %d %d\n", upper, tolower('Q'), isprint('\a') != 0, iscntrl('\a') != 0);
}

static void parse(void)
{
    const char *text = "  -42abc";
    char *end;

    printf("%d %ld %lld\n", atoi("  17 apples"), atol("-900"), atoll("12345678901"));
    long value = strtol(text, &end, 10);
    printf("%ld then '%s'\n", value, end);
    printf("%ld %ld %ld %ld\n", strtol("ff", NULL, 16), strtol("0x1F", NULL, 0), strtol("0755", NULL, 0),
           strtol("-101", NULL, 2));
    printf("%lu %llu\n", strtoul("4294967295", NULL, 10), strtoull("18446744073709551615", NULL, 10));
    errno = 0;
    value = strtol("99999999999999999999", &end, 10);
    printf("%d %d '%s'\n", value == LONG_MAX, errno == ERANGE, end);
    value = strtol("none", &end, 10);
    printf("%ld '%s'\n", value, end);
    double d = strtod("3.25e2xyz", &end);
    printf("%.2f '%s' %.3f %.1f\n", d, end, atof("-0.125"), strtod("1e-1", NULL) * 10);
}

static void sort_and_search(void)
{
    struct word words[] = {{"weft", 3}, {"warp", 7}, {"reed", 3}, {"shed", 7}, {"loom", 1}};
    double numbers[] = {2.5, -1.0, 9.75, 0.0, 3.5, 3.25};
    double wanted = 3.5, missing = 4;

    qsort(words, 5, sizeof *words, by_count_then_text);
    for (int i = 0; i < 5; i++)
        printf("%s%s", words[i].text, i < 4 ? " " : "\n");
    qsort(numbers, 6, sizeof *numbers, compare_doubles);
    double *found = bsearch(&wanted, numbers, 6, sizeof *numbers, compare_doubles);
    double *nothing = bsearch(&missing, numbers, 6, sizeof *numbers, compare_doubles);
    printf("%td %d\n", found - numbers, nothing == NULL);
}

static void random_numbers(void)
{
    unsigned seed = 7, same_seed = 7;
    int equal = 1, in_range = 1;

    for (int i = 0; i < 5; i++) {
        int a = rand_r(&seed), b = rand_r(&same_seed);
        equal &= a == b;
        in_range &= a >= 0 && a <= RAND_MAX;
    }
    srand(42);
    int first = rand(), second = rand();
    srand(42);
    int repeated = rand() == first;
    repeated &= rand() == second;
    printf("%d %d %d\n", equal, in_range, repeated);
}

int main(void)
{
    classify();
    parse();
    sort_and_search();
    random_numbers();
    div_t q = div(-17, 5);
    ldiv_t lq = ldiv(1000000007L, 1000L);
    printf("%d %ld %lld, %d %d, %ld %ld\n", abs(-5), labs(-6L), llabs(-7LL), q.quot, q.rem, lq.quot, lq.rem);
    exit(EXIT_SUCCESS);
}
