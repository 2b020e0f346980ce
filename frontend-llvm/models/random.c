/* Pseudo-random numbers: the sequences that the C library gives for a seed. The generators' state is shared by all
 * threads, and each call is one step, as the library's lock makes it. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

#include "heddle.h"

/* An additive feedback generator of degree 31 and separation 3: a word is the sum of those 31 and 3 before it. */
enum { DEGREE = 31, SEPARATION = 3 };

/* It begins as seed_feedback(1) leaves it. A thread that computed this at its first call would do so in one step of a
 * thousand accesses. */
static struct {
    uint32_t words[DEGREE];
    int front; /* 1 more than the index of the next word to add to */
} feedback = {
    .words =
        {
            0x991539b1, 0x16a5bce3, 0x6774a4cd, 0x3e01511e, 0x4e508aaa, 0x61048c05,
            0xf5500617, 0x846b7115, 0x6a19892c, 0x896a97af, 0xdb48f936, 0x14898454,
            0x37ffd106, 0xb58bff9c, 0x59e17104, 0xcf918a49, 0x09378c83, 0x52c7a471,
            0x8d293ea9, 0x1f4fc301, 0xc3db71be, 0x39b44e1c, 0xf8a44ef9, 0x4c8b80b1,
            0x19edc328, 0x87bf4bdd, 0xc9b240e5, 0xe9ee4b1b, 0x4382aee7, 0x535b6b41,
            0xf3bec5da,
        },
    .front = SEPARATION + 1,
};

static uint32_t step_feedback(void) {
    int front = feedback.front - 1;
    int rear = front < SEPARATION ? front + DEGREE - SEPARATION : front - SEPARATION;
    uint32_t word = feedback.words[front] + feedback.words[rear];
    feedback.words[front] = word;
    feedback.front = front + 1 == DEGREE ? 1 : front + 2;
    return word >> 1;
}

/* The words come from a multiplicative generator modulo 2^31 - 1; ten rounds then mix them. */
static void seed_feedback(unsigned seed) {
    int64_t word = seed == 0 ? 1 : (int32_t)seed;
    for (int i = 0; i < DEGREE; i++) {
        feedback.words[i] = (uint32_t)word;
        word = 16807 * word % 2147483647;
        if (word < 0) {
            word += 2147483647;
        }
    }
    feedback.front = SEPARATION + 1;
    for (int i = 0; i < 10 * DEGREE; i++) {
        step_feedback();
    }
}

long random(void) {
    __heddle_atomic_begin();
    long word = step_feedback();
    __heddle_atomic_end();
    return word;
}

void srandom(unsigned seed) {
    __heddle_atomic_begin();
    seed_feedback(seed);
    __heddle_atomic_end();
}

int rand(void) { return (int)random(); }

void srand(unsigned seed) { srandom(seed); }

int rand_r(unsigned *seed) {
    unsigned next = *seed * 1103515245 + 12345;
    unsigned result = (next >> 16) % 2048;
    next = next * 1103515245 + 12345;
    result = result << 10 ^ (next >> 16) % 1024;
    next = next * 1103515245 + 12345;
    result = result << 10 ^ (next >> 16) % 1024;
    *seed = next;
    return (int)result;
}

/* The 48-bit linear congruential generator of drand48. */
static struct {
    uint64_t state;
    uint64_t multiplier; /* 0 before the first use */
    uint64_t increment;
    unsigned short old[3]; /* what seed48 hands back */
} congruence;

enum { INCREMENT = 0xb };
static const uint64_t multiplier = 0x5deece66d;

static uint64_t words_to_state(const unsigned short words[3]) {
    return words[0] | (uint64_t)words[1] << 16 | (uint64_t)words[2] << 32;
}

static void state_to_words(uint64_t state, unsigned short words[3]) {
    words[0] = (unsigned short)state;
    words[1] = (unsigned short)(state >> 16);
    words[2] = (unsigned short)(state >> 32);
}

/* The caller is in an atomic section. */
static uint64_t next_congruence(uint64_t state) {
    if (congruence.multiplier == 0) {
        congruence.multiplier = multiplier;
        congruence.increment = INCREMENT;
    }
    return (state * congruence.multiplier + congruence.increment) & 0xffffffffffff;
}

static uint64_t step_shared(void) {
    __heddle_atomic_begin();
    uint64_t state = next_congruence(congruence.state);
    congruence.state = state;
    __heddle_atomic_end();
    return state;
}

static uint64_t step_given(unsigned short words[3]) {
    uint64_t state = words_to_state(words);
    __heddle_atomic_begin();
    state = next_congruence(state);
    __heddle_atomic_end();
    state_to_words(state, words);
    return state;
}

static double as_fraction(uint64_t state) { return (double)state / 281474976710656.0; }

double drand48(void) { return as_fraction(step_shared()); }

double erand48(unsigned short words[3]) { return as_fraction(step_given(words)); }

long lrand48(void) { return (long)(step_shared() >> 17); }

long nrand48(unsigned short words[3]) { return (long)(step_given(words) >> 17); }

long mrand48(void) { return (int32_t)(step_shared() >> 16); }

long jrand48(unsigned short words[3]) { return (int32_t)(step_given(words) >> 16); }

void srand48(long seed) {
    __heddle_atomic_begin();
    congruence.state = (uint64_t)(uint32_t)seed << 16 | 0x330e;
    congruence.multiplier = multiplier;
    congruence.increment = INCREMENT;
    __heddle_atomic_end();
}

unsigned short *seed48(unsigned short words[3]) {
    __heddle_atomic_begin();
    state_to_words(congruence.state, congruence.old);
    congruence.state = words_to_state(words);
    congruence.multiplier = multiplier;
    congruence.increment = INCREMENT;
    __heddle_atomic_end();
    return congruence.old;
}

void lcong48(unsigned short words[7]) {
    __heddle_atomic_begin();
    congruence.state = words_to_state(words);
    congruence.multiplier = words_to_state(words + 3);
    congruence.increment = words[6];
    __heddle_atomic_end();
}

/* What the system gives at random is an input. */
ssize_t getrandom(void *block, size_t size, unsigned flags) {
    (void)flags;
    unsigned char *bytes = block;
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (unsigned char)__heddle_input_choose(8);
    }
    return (ssize_t)size;
}

int getentropy(void *block, size_t size) {
    if (size > 256) {
        errno = EIO;
        return -1;
    }
    getrandom(block, size, 0);
    return 0;
}

uint32_t arc4random(void) { return (uint32_t)__heddle_input_choose(32); }

void arc4random_buf(void *block, size_t size) { getrandom(block, size, 0); }

uint32_t arc4random_uniform(uint32_t bound) {
    return bound < 2 ? 0 : (uint32_t)__heddle_input_choose(32) % bound;
}
