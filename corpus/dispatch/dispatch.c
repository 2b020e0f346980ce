// A small stack machine: its operations are table entries, its tokens are told apart by a switch, its errors leave by
// goto.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum token { NUMBER, OPERATOR, SPACE, LETTER, UNKNOWN, TOKENS };

typedef int (*operation)(int, int);
typedef void (*visitor)(int value, void *context);

struct operator {
    char symbol;
    operation apply;
    const char *name;
};

static int add(int a, int b)
{
    return a + b;
}

static int subtract(int a, int b)
{
    return a - b;
}

static int multiply(int a, int b)
{
    return a * b;
}

static int greatest_divisor(int a, int b)
{
    return b == 0 ? a : greatest_divisor(b, a % b);
}

static const struct operator operators[] = {
    {'+', add, "add"},
    {'-', subtract, "subtract"},
    {'*', multiply, "multiply"},
    {'g', greatest_divisor, "greatest divisor"},
};

static const char *const token_names[TOKENS] = {
    [UNKNOWN] = "unknown", [NUMBER] = "number", [SPACE] = "space", [LETTER] = "letter", [OPERATOR] = "operator",
};

static enum token classify(char c)
{
    switch (c) {
    case '0' ... '9':
        return NUMBER;
    case '+':
    case '-':
    case '*':
    case 'g':
        return OPERATOR;
    case ' ':
        return SPACE;
    case 'a' ... 'f':
    case 'h' ... 'z':
        return LETTER;
    default:
        return UNKNOWN;
    }
}

static const struct operator *find(char symbol)
{
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (operators[i].symbol == symbol)
            return &operators[i];
    return NULL;
}

static int evaluate(const char *text, int *result)
{
    int stack[8], depth = 0;

    for (const char *p = text; *p; p++) {
        enum token kind = classify(*p);
        if (kind == SPACE)
            continue;
        if (kind == NUMBER) {
            if (depth == 8)
                goto overflow;
            stack[depth++] = *p - '0';
        } else if (kind == OPERATOR) {
            if (depth < 2)
                goto underflow;
            depth--;
            stack[depth - 1] = find(*p)->apply(stack[depth - 1], stack[depth]);
        } else {
            printf("%s: %s '%c'\n", text, token_names[kind], *p);
            return -1;
        }
    }
    if (depth != 1)
        goto underflow;
    *result = stack[0];
    return 0;

overflow:
    printf("%s: too deep\n", text);
    return -1;
underflow:
    printf("%s: operands missing\n", text);
    return -1;
}

static int days(int month)
{
    int count = 0;

    switch (month) {
    case 12:
        count += 30;
        /* fallthrough */
    case 11:
        count += 31;
        /* fallthrough */
    case 10:
        count += 30;
        break;
    case -3 ... 0:
        count = -1;
        break;
    default:
        count = 1000;
    }
    return count;
}

static int next_serial(void)
{
    static int serial = 100;

    return serial++;
}

static void walk(const int *values, int count, visitor visit, void *context)
{
    for (int i = 0; i < count; i++)
        visit(values[i], context);
}

static void sum_up(int value, void *context)
{
    *(long *)context += value;
}

static void keep_largest(int value, void *context)
{
    int *largest = context;

    if (value > *largest)
        *largest = value;
}

static int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static int descending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;

    return (y > x) - (y < x);
}

int main(void)
{
    static const char *const inputs[] = {"34+", "92-3*", "2 3 4 * +", "84 6*g", "1+", "1x", "?"};
    int result;

    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (evaluate(inputs[i], &result) == 0)
            printf("%s = %d\n", inputs[i], result);
    printf("operator named %s\n", find('g')->name);
    printf("days %d %d %d %d\n", days(12), days(10), days(-2), days(5));
    next_serial();
    next_serial();
    printf("serial %d\n", next_serial());

    int values[] = {4, -7, 19, 0, 8};
    long sum = 0;
    int largest = values[0];
    walk(values, 5, sum_up, &sum);
    walk(values, 5, keep_largest, &largest);
    qsort(values, 5, sizeof *values, descending);
    printf("sum %ld, largest %d, sorted %d %d %d %d %d\n", sum, largest, values[0], values[1], values[2], values[3],
           values[4]);
    printf("ackermann(2, 3) = %d\n", ackermann(2, 3));
    operation chosen = sum > 20 ? multiply : add;
    printf("chosen %d\n", chosen(6, 7));
    return 0;
}
