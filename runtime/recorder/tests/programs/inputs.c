// Records of every kind, small ones and large ones.
#define _GNU_SOURCE
#define FUNCTIONS first, second, puts
#include <stdio.h>

static int first(int x);
static int second(int x);
#include "recorded.h"

static int first(int x) { return x + 1; }
static int second(int x) { return x + 2; }

int main(int argc, char **argv) {
    __heddle_arguments(argc, argv);
    __heddle_callee(second);
    __heddle_callee(first);
    __heddle_callee(puts);
    __heddle_callee(main);
    __heddle_unknown(70000, -1);
    __heddle_input(5, INT64_MIN, 0, NULL);
    struct heddle_buffer two[] = {{"abc", 3}, {NULL, 0}};
    __heddle_input(6, INT64_MAX, 2, two);
    uint64_t sizes[] = {4000, 5000, 100000, 3000000, argc > 1 ? strtoull(argv[1], NULL, 10) : 1};
    for (int i = 0; i < 5; i++) {
        char *memory = mmap(NULL, sizes[i], PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(memory != MAP_FAILED);
        memset(memory, 'a' + i, sizes[i]);
        struct heddle_buffer buffer = {memory, sizes[i]};
        __heddle_input(7, (int64_t)sizes[i], 1, &buffer);
        CHECK(!munmap(memory, sizes[i]));
    }
    __heddle_input(8, 1, 0, NULL);
    decide_many(100);
    puts("done");
}
