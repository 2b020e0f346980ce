// What C has gained since 1989, in one order form.
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DESCRIBE(x)                                                                                                    \
    _Generic((x), int: "int", unsigned: "unsigned", double: "double", float: "float", char *: "string",                \
             const char *: "constant string", struct line *: "line", default: "something else")

enum size { SMALL, MEDIUM = 5, LARGE, SIZES };

struct line {
    const char *article;
    int quantity;
    struct {
        int euros, cents;
    } price;
};

struct order {
    size_t count;
    char customer[12];
    struct line lines[];
};

struct packet {
    uint8_t kind;
    alignas(16) uint32_t payload[2];
};

_Static_assert(sizeof(struct packet) == 32, "payload is aligned to 16 bytes");

static const int weights[SIZES] = {[LARGE] = 900, [SMALL] = 100, [MEDIUM] = 400};

static inline int in_cents(const struct line *l)
{
    return l->quantity * (l->price.euros * 100 + l->price.cents);
}

static struct order *make_order(const char *customer, size_t count, const struct line lines[static count])
{
    struct order *o = malloc(sizeof *o + count * sizeof o->lines[0]);

    o->count = count;
    strncpy(o->customer, customer, sizeof o->customer - 1);
    o->customer[sizeof o->customer - 1] = '\0';
    memcpy(o->lines, lines, count * sizeof *lines);
    return o;
}

static int total(const struct order *o)
{
    int sum = 0;

    for (const struct line *l = o->lines; l < o->lines + o->count; l++)
        sum += in_cents(l);
    return sum;
}

static void add_vectors(int n, int *restrict out, const int *restrict a, const int *restrict b)
{
    for (int i = 0; i < n; i++)
        out[i] = a[i] + b[i];
}

static int trace_of(int n, int matrix[n][n])
{
    int trace = 0;

    for (int i = 0; i < n; i++)
        trace += matrix[i][i];
    return trace;
}

static int fill_and_trace(int n)
{
    int matrix[n][n];

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            matrix[i][j] = i * n + j;
    return trace_of(n, matrix) + (int)(sizeof matrix / sizeof matrix[0][0]);
}

int main(void)
{
    struct order *o = make_order("a customer with a long name", 3,
                                 (struct line[]){
                                     {.article = "yarn", .price = {.euros = 4, .cents = 50}, .quantity = 3},
                                     {"comb", 1, {12, 0}},
                                     {.price.cents = 99, .article = "needle", .quantity = 10},
                                 });
    printf("%s orders for %d cents, the last article is a %s\n", o->customer, total(o), o->lines[o->count - 1].article);
    o = realloc(o, sizeof *o + 4 * sizeof o->lines[0]);
    o->lines[o->count++] = (struct line){.article = "loom", .quantity = 1, .price = {250, 0}};
    printf("now for %d cents, %zu lines\n", total(o), o->count);

    int sparse[] = {1, [4] = 5, 6, [2] = 3};
    printf("sparse %d %d %d %d, length %zu\n", sparse[1], sparse[2], sparse[4], sparse[5],
           sizeof sparse / sizeof *sparse);
    printf("weights %d %d %d, unset %d\n", weights[SMALL], weights[MEDIUM], weights[LARGE], weights[3]);

    char text[] = "x";
    printf("%s, %s, %s, %s, %s\n", DESCRIBE(1), DESCRIBE(1.0f), DESCRIBE(text), DESCRIBE(o->lines),
           DESCRIBE('x' + 1L));
    printf("trace %d %d\n", fill_and_trace(3), fill_and_trace(5));

    int sums[3];
    add_vectors(3, sums, (int[]){1, 2, 3}, (const int[]){10, 20, 30});
    printf("sums %d %d %d\n", sums[0], sums[1], sums[2]);

    struct packet p = {.kind = 7, .payload = {1, 2}};
    bool aligned = (uintptr_t)p.payload % 16 == 0;
    printf("kind %d, payload at %zu, aligned %d, alignment %zu\n", p.kind, offsetof(struct packet, payload), aligned,
           alignof(struct packet));
    for (struct {
             int left, right;
         } range = {0, 4};
         range.left < range.right; range.left++, range.right--)
        printf("range %d to %d\n", range.left, range.right);
    free(o);
    return 0;
}
