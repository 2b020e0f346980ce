/* Variables with initial values of every kind, and the ways to reach into them. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct node {
    struct node *next;
    int value;
};
struct __attribute__((packed)) packed {
    char c;
    int i;
    long l;
};
struct flexible {
    int count;
    int numbers[];
};
union number {
    float fraction;
    uint32_t bits;
};
enum state { FIRST = 1, SECOND };

static const char *names[] = {"zero", "one", "two", NULL};
static struct node second = {NULL, 2}, first = {&second, 1};
static int numbers[10] = {[3] = 7, [9] = 1};
static int *middle = &numbers[3];
static char *inside = (char *)&numbers[9] + 1;
static long distance = (char *)&numbers[9] - (char *)&numbers[3];
static uintptr_t address = (uintptr_t)&numbers[1];
static double fractions[] = {1.5, -0.0, INFINITY};
static long double wide = 1.25L;
static unsigned char flags = 0x81;
static _Bool truth = 1;
static __int128 big = ((__int128)1 << 100) + 5;
static struct packed packed = {1, 2, 3};
static struct flexible flexible = {3, {1, 2, 3}};
static enum state state = SECOND;
static int grid[3][4] = {{1}, {2, 3}, {4}};
static char text[] = "abc"
                     "def";
static struct {
    struct node pair[2];
    union number number;
} nested[2] = {{{{&first, 1}, {NULL, 3}}, {1.0f}}, {{{NULL, 7}}, {.bits = 1}}};

static int sum(int n, int list[static n]) {
    int total = 0;
    for (int i = 0; i < n; i++) {
        total += list[i];
    }
    return total;
}

int main(void) {
    for (const char **name = names; *name; name++) {
        printf("%s ", *name);
    }
    printf("%d %d %ld %d\n", first.next->value, *middle, distance, *(int *)(inside - 1));
    printf("%g %g %g %Lg %d %d %d\n", fractions[0], 1 / fractions[1], fractions[2], wide, flags, truth, (int)(big >> 98));
    printf("%d %d %d\n", address == (uintptr_t)&numbers[1], (int)big, state == SECOND);
    printf("%d %ld %d\n", packed.i, packed.l, sum(flexible.count, flexible.numbers));
    packed.i += 5;
    packed.l <<= 33;
    struct packed copy = packed, *behind = &copy;
    memcpy(&behind->i, &(int){77}, 4);
    printf("%d %ld %d\n", packed.i, packed.l, copy.i);
    int(*row)[4] = grid;
    printf("%d %d %zu %s\n", row[1][1], (*(row + 2))[0], sizeof text, text + 3);
    nested[1].pair[0] = nested[0].pair[1];
    printf("%d %x %d\n", nested[1].pair[0].value, nested[0].number.bits, nested[0].pair[0].next->value);
    char buffer[64];
    memset(buffer, 'x', 20);
    buffer[20] = 0;
    memmove(buffer + 2, buffer, 10);
    strcpy(buffer + 3, "hey");
    printf("%s %zu\n", buffer, strlen(buffer));
    struct {
        char letters[33];
    } letters = {"abcdefghijklmnopqrstuvwxyz"}, other;
    other = letters;
    int total = 0;
    for (int *at = &grid[0][0]; at < &grid[0][0] + 12; at++) {
        total += *at;
    }
    printf("%s %d %ld\n", other.letters, total, (long)&((struct packed *)0)->l);
    static int counter;
    for (int i = 0; i < 3; i++) {
        counter += i;
    }
    volatile int changing = counter;
    changing++;
    printf("%d %s\n", changing, (const char *[]){"x", "y"}[1]);
    return 0;
}
