// What an instrumented program has, written by hand: the hooks, the tables, and decisions that call them.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "hooks.c"

#ifndef FUNCTIONS
#define FUNCTIONS NULL
#endif
void *const __heddle_functions[] = {FUNCTIONS};
const uint32_t __heddle_function_count = sizeof __heddle_functions / sizeof *__heddle_functions;
const uint8_t __heddle_identity[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
const uint32_t __heddle_hooked = 0;

// One recorded branch.
__attribute__((noinline)) void decide(bool bit) {
    uint64_t *word, bits;
    __heddle_enter(&word, &bits);
    __heddle_room(&word, &bits, 32);
    __heddle_bit(&bits, bit);
    __heddle_flush(&word, &bits);
}

// A number, as a switch would record it.
__attribute__((noinline)) void decide_number(uint64_t number, uint64_t width) {
    uint64_t *word, bits;
    __heddle_enter(&word, &bits);
    __heddle_room(&word, &bits, 32);
    __heddle_number(&bits, number, width);
    __heddle_flush(&word, &bits);
}

// The bits that a test expects of a long row of decisions.
bool expected_bit(uint64_t index) { return (index * 0x9e3779b97f4a7c15u >> 40 ^ index >> 3) & 1; }

void decide_many(uint64_t count) {
    for (uint64_t i = 0; i < count; i++) decide(expected_bit(i));
}

static void check(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "%s (errno %d)\n", what, errno);
        _exit(99);
    }
}
#define CHECK(condition) check(condition, #condition)

static bool asked_for(int argc, char **argv, const char *mode) { return argc > 1 && !strcmp(argv[1], mode); }
