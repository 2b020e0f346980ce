/* Assertions, and the functions by which verification tasks speak to a verifier. */
#define _GNU_SOURCE
#include <assert.h>
#include <stdbool.h>
#include <string.h>
#include <sys/types.h>

#include "model.h"

void __assert_fail(const char *condition, const char *file, unsigned int line, const char *function) {
    __heddle_process_fail(condition, file, (int)line, function);
}

void __assert_perror_fail(int number, const char *file, unsigned int line, const char *function) {
    char buffer[40];
    __heddle_process_fail(__model_error_message(number, buffer, sizeof buffer), file, (int)line, function);
}

void __assert(const char *condition, const char *file, int line) {
    __heddle_process_fail(condition, file, line, NULL);
}

/* Tasks usually define it themselves, around an assertion or empty. The front end calls this one all the same. */
void reach_error(void) { __heddle_process_fail("reach_error()", NULL, 0, NULL); }

void __VERIFIER_error(void) { __heddle_process_fail("__VERIFIER_error()", NULL, 0, NULL); }

void __VERIFIER_assert(int condition) {
    if (!condition) {
        __heddle_process_fail("__VERIFIER_assert", NULL, 0, NULL);
    }
}

void __VERIFIER_assume(int condition) { __heddle_process_assume(condition); }

void __VERIFIER_atomic_begin(void) { __heddle_atomic_begin(); }

void __VERIFIER_atomic_end(void) { __heddle_atomic_end(); }

#define NONDET(name, type)                                                                                             \
    type __VERIFIER_nondet_##name(void) { return (type)__heddle_input_choose(8 * (int)sizeof(type)); }

NONDET(char, char)
NONDET(uchar, unsigned char)
NONDET(short, short)
NONDET(ushort, unsigned short)
NONDET(int, int)
NONDET(uint, unsigned int)
NONDET(unsigned, unsigned int)
NONDET(long, long)
NONDET(ulong, unsigned long)
NONDET(longlong, long long)
NONDET(ulonglong, unsigned long long)
NONDET(size_t, size_t)
NONDET(loff_t, loff_t)
NONDET(S8, int8_t)
NONDET(U8, uint8_t)
NONDET(S16, int16_t)
NONDET(U16, uint16_t)
NONDET(S32, int32_t)
NONDET(U32, uint32_t)
NONDET(S64, int64_t)
NONDET(U64, uint64_t)
NONDET(u8, uint8_t)
NONDET(u16, uint16_t)
NONDET(u32, uint32_t)
NONDET(u64, uint64_t)
NONDET(pchar, char *)
NONDET(pointer, void *)

bool __VERIFIER_nondet_bool(void) { return (__heddle_input_choose(1) & 1) != 0; }

static unsigned __int128 choose_128(void) {
    unsigned __int128 high = (unsigned long)__heddle_input_choose(64);
    return high << 64 | (unsigned long)__heddle_input_choose(64);
}

__int128 __VERIFIER_nondet_int128(void) { return (__int128)choose_128(); }

unsigned __int128 __VERIFIER_nondet_uint128(void) { return choose_128(); }

unsigned __int128 __VERIFIER_nondet_u128(void) { return choose_128(); }

/* Every bit pattern is a value, infinities and what is not a number too. */
float __VERIFIER_nondet_float(void) {
    union {
        uint32_t bits;
        float value;
    } chosen = {.bits = (uint32_t)__heddle_input_choose(32)};
    return chosen.value;
}

double __VERIFIER_nondet_double(void) {
    union {
        uint64_t bits;
        double value;
    } chosen = {.bits = (uint64_t)__heddle_input_choose(64)};
    return chosen.value;
}

void __VERIFIER_nondet_memory(void *block, size_t size) {
    unsigned char *bytes = block;
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (unsigned char)__heddle_input_choose(8);
    }
}
