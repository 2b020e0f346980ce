// Pointers that go through integers, carry a tag in their low bit, or are found from a member's address.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CONTAINER_OF(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))

struct link {
    struct link *next;
};

struct task {
    int id;
    struct link link;
    int cost;
};

static int total_cost(struct link *first)
{
    int total = 0;

    for (struct link *l = first; l; l = l->next)
        total += CONTAINER_OF(l, struct task, link)->cost;
    return total;
}

static uintptr_t tag(void *p, unsigned bit)
{
    return (uintptr_t)p | bit;
}

static void *untag(uintptr_t word)
{
    return (void *)(word & ~(uintptr_t)1);
}

static void swap_pointers(void **a, void **b)
{
    void *t = *a;

    *a = *b;
    *b = t;
}

static int twice(int n)
{
    return 2 * n;
}

int main(void)
{
    struct task tasks[3] = {{1, {NULL}, 10}, {2, {NULL}, 20}, {3, {NULL}, 30}};
    tasks[0].link.next = &tasks[2].link;
    tasks[2].link.next = &tasks[1].link;
    printf("total cost %d\n", total_cost(&tasks[0].link));

    uintptr_t address = (uintptr_t)&tasks[1];
    struct task *again = (struct task *)address;
    printf("same %d, id %d, distance in bytes %td\n", again == &tasks[1], again->id,
           (ptrdiff_t)(address - (uintptr_t)tasks) - (ptrdiff_t)sizeof(struct task));

    uintptr_t marked = tag(&tasks[2], 1);
    struct task *plain = untag(marked);
    printf("mark %d, id behind it %d, aligned %d\n", (int)(marked & 1), plain->id,
           (uintptr_t)plain % _Alignof(struct task) == 0);

    int *numbers = malloc(4 * sizeof *numbers);
    for (int i = 0; i < 4; i++)
        numbers[i] = (i + 1) * 0x01010101;
    unsigned char *bytes = (unsigned char *)numbers;
    bytes[5] = 0xff;
    printf("number 1 is %x, byte 9 is %x\n", (unsigned)numbers[1], bytes[9]);
    intptr_t moved = (intptr_t)numbers + 3 * (intptr_t)sizeof *numbers;
    printf("fourth through an integer %x\n", (unsigned)*(int *)moved);

    void *a = &tasks[0], *b = numbers;
    swap_pointers(&a, &b);
    printf("swapped %d %d\n", a == (void *)numbers, b == (void *)&tasks[0]);

    int (*function)(int) = twice;
    uintptr_t code = (uintptr_t)function;
    int (*back)(int) = (int (*)(int))code;
    printf("function %d, null is zero %d\n", back(21), (uintptr_t)(void *)NULL == 0);

    struct task **index = malloc(3 * sizeof *index);
    for (int i = 0; i < 3; i++)
        index[i] = &tasks[2 - i];
    struct task ***handle = &index;
    printf("through two levels %d, order %d\n", (*handle)[0]->id, index[0] > index[2]);
    free(index);
    free(numbers);
    return 0;
}
