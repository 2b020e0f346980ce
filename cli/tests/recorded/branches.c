// Threads that decide much about data of their own: branches, switches, loops in loops, computed jumps, recursion.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, CELLS = 64 };

struct work {
    uint32_t seed;
    int rounds;
    uint32_t cells[CELLS];
    uint64_t result;
};

static uint32_t next(uint32_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

static int depth(uint32_t value, int limit) {
    if (limit == 0 || value < 2) return 0;
    return value % 2 == 0 ? 1 + depth(value / 2, limit - 1) : 1 + depth(3 * value + 1, limit - 1);
}

static uint32_t kind(uint32_t value) {
    switch (value % 11) {
    case 0: return 1;
    case 1:
    case 2: return value & 3;
    case 5: value += 3; // goes on
    case 6: return value % 5;
    case 1000: return 0;
    default: return value > 1u << 31 ? 7 : 8;
    }
}

// A little machine of its own.
static uint64_t interpret(const uint8_t *code, uint32_t seed) {
    static void *const jumps[] = {&&add, &&turn, &&skip, &&back, &&stop};
    uint64_t sum = seed;
    int left = 200;
again:
    if (left-- == 0) return sum;
    goto *jumps[*code++];
add:
    sum += 7;
    goto again;
turn:
    sum = sum << 5 | sum >> 59;
    goto again;
skip:
    code += sum % 3 == 0 ? 1 : 0;
    goto again;
back:
    if ((sum ^= 0x55) % 7 != 0) code -= 3;
    goto again;
stop:
    return sum;
}

static void *works(void *argument) {
    static const uint8_t code[] = {0, 1, 2, 0, 1, 3, 2, 0, 4, 4};
    struct work *work = argument;
    for (int i = 0; i < CELLS; i++) work->cells[i] = next(&work->seed);
    for (int round = 0; round < work->rounds; round++) {
        for (int i = 0; i + 1 < CELLS; i++) {
            if (work->cells[i] > work->cells[i + 1] && (round & 1)) {
                uint32_t swapped = work->cells[i];
                work->cells[i] = work->cells[i + 1];
                work->cells[i + 1] = swapped;
            }
            if (i % 9 == 0) continue;
            work->result += kind(work->cells[i]);
            if (work->result % 4099 == 0) break;
        }
        do work->result += depth(work->cells[round % CELLS] % 1000, 30);
        while (work->result % 8 > 5);
        work->result ^= interpret(code, work->cells[round % 7]);
    }
    char text[24];
    snprintf(text, sizeof text, "%u", (unsigned)(work->result % 100000));
    if (strchr(text, '7') != NULL || strlen(text) > 4 || text[0] == '1') work->result++;
    return work->result % 3 == 0 ? work : NULL;
}

int main(int argc, char **argv) {
    static struct work work[THREADS];
    pthread_t threads[THREADS];
    uint64_t sum = 0;
    int rounds = argc > 1 ? atoi(argv[1]) : 3;
    for (int i = 0; i < THREADS; i++) {
        work[i].seed = 2463534242u + 77 * i;
        work[i].rounds = rounds + i;
        pthread_create(&threads[i], NULL, works, &work[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        sum += result != NULL ? work[i].result : 1;
    }
    printf("%llu\n", (unsigned long long)sum);
    return sum % 2 == 0 ? 0 : 3;
}
