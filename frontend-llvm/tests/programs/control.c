/* Jumps of all kinds, functions behind names and pointers, what runs before and after main. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int began;

__attribute__((constructor)) static void before(void) { began = 1; }

__attribute__((destructor)) static void after(void) {
    puts("destructor");
    fflush(stdout);
}

__attribute__((destructor(101))) static void last(void) {
    puts("last destructor");
    fflush(stdout);
}

static void at_exit(void) {
    puts("at exit");
    fflush(stdout);
}

int real(int x) { return x + 1; }
int other_name(int x) __attribute__((alias("real")));
extern int absent(int) __attribute__((weak));
__attribute__((weak)) int weak(int x) { return x * 2; }

static int chosen(int x) { return x * 3; }
static int (*resolve(void))(int) { return chosen; }
int indirect(int) __attribute__((ifunc("resolve")));

static int (*table[])(int) = {real, other_name, weak, indirect};

static int computed(const int *code) {
    static void *labels[] = {&&add, &&subtract, &&end};
    static const long distances[] = {0, &&subtract - &&add, &&end - &&add};
    int sum = 0;
    goto *labels[*code++];
add:
    sum += 10;
    goto *labels[*code++];
subtract:
    sum -= 3;
    goto *(&&add + distances[*code++]);
end:
    return sum;
}

static int choose(long x) {
    switch (x) {
    case -5:
        return 1;
    case 0:
        return 2;
    case 1 ... 7:
        return 3;
    case LONG_MAX:
        return 4;
    default:
        return 5;
    }
}

static void leave(int *value) { printf("left with %d\n", *value); }

static int scoped(int n) {
    for (int i = 0;; i++) {
        __attribute__((cleanup(leave))) int here = i * 10;
        if (i == n) {
            goto out;
        }
        if (i == 7) {
            break;
        }
        here++;
    }
out:
    return n;
}

static int variable_length(int n) {
    int numbers[n][n + 1], sum = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= n; j++) {
            numbers[i][j] = i * j;
        }
    }
    for (int i = 0; i < n; i++) {
        sum += numbers[i][i];
    }
    return sum + (int)sizeof numbers;
}

static int compare(const void *left, const void *right) { return *(const int *)left - *(const int *)right; }

static int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

int main(int argc, char **argv) {
    atexit(at_exit);
    printf("%d %d %d %d\n", began, argc, absent != NULL, argv[argc] == NULL);
    for (int i = 0; i < 4; i++) {
        printf("%d ", table[i](5));
    }
    int code[] = {0, 0, 1, 0, 1, 2};
    printf("%d %d\n", indirect(4), computed(code));
    printf("%d %d %d %d %d\n", choose(-5), choose(0), choose(4), choose(LONG_MAX), choose(99));
    printf("%d %d %d\n", scoped(1), variable_length(5), factorial(10));
    int numbers[] = {5, 3, 9, 1};
    qsort(numbers, 4, sizeof *numbers, compare);
    printf("%d %d\n", numbers[0], numbers[3]);
    char *grown = __builtin_alloca(argc * 16);
    strcpy(grown, "alloca");
    int t = 10, statement = ({
        int inner = 5;
        inner * argc;
    });
    do {
        t--;
        if (t == 7) {
            continue;
        }
        if (t == 5) {
            break;
        }
    } while (t);
    printf("%s %d %d %s\n", grown, t, statement, __func__);
    return 7;
}
