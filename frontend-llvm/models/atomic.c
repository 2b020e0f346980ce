/* Atomic operations that are calls because no instruction is wide enough: of any size, and of 16 bytes. Each is one
 * step. Their names are builtins of the compiler, so they are given as assembler names. */
#include <stdbool.h>
#include <string.h>

#include "heddle.h"

void load_any(size_t size, void *object, void *result, int order) __asm__("__atomic_load");
void store_any(size_t size, void *object, void *value, int order) __asm__("__atomic_store");
void exchange_any(size_t size, void *object, void *value, void *result, int order) __asm__("__atomic_exchange");
bool compare_exchange_any(size_t size, void *object, void *expected, void *desired, int success,
                          int failure) __asm__("__atomic_compare_exchange");
bool is_lock_free(size_t size, void *object) __asm__("__atomic_is_lock_free");

void load_any(size_t size, void *object, void *result, int order) {
    (void)order;
    __heddle_atomic_begin();
    memcpy(result, object, size);
    __heddle_atomic_end();
}

void store_any(size_t size, void *object, void *value, int order) {
    (void)order;
    __heddle_atomic_begin();
    memcpy(object, value, size);
    __heddle_atomic_end();
}

/* The program may give one place for the value and the result. */
void exchange_any(size_t size, void *object, void *value, void *result, int order) {
    (void)order;
    char *old = __heddle_memory_alloc(size, 16, 0);
    __heddle_atomic_begin();
    memcpy(old, object, size);
    memcpy(object, value, size);
    memcpy(result, old, size);
    __heddle_atomic_end();
    __heddle_memory_free(old);
}

bool compare_exchange_any(size_t size, void *object, void *expected, void *desired, int success, int failure) {
    (void)success;
    (void)failure;
    __heddle_atomic_begin();
    bool equal = memcmp(object, expected, size) == 0;
    if (equal) {
        memcpy(object, desired, size);
    } else {
        memcpy(expected, object, size);
    }
    __heddle_atomic_end();
    return equal;
}

bool is_lock_free(size_t size, void *object) {
    (void)object;
    return size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
}

typedef unsigned __int128 wide;

wide load_16(const wide *object, int order) __asm__("__atomic_load_16");
void store_16(wide *object, wide value, int order) __asm__("__atomic_store_16");
bool compare_exchange_16(wide *object, wide *expected, wide desired, int success,
                         int failure) __asm__("__atomic_compare_exchange_16");

wide load_16(const wide *object, int order) {
    (void)order;
    __heddle_atomic_begin();
    wide value = *object;
    __heddle_atomic_end();
    return value;
}

void store_16(wide *object, wide value, int order) {
    (void)order;
    __heddle_atomic_begin();
    *object = value;
    __heddle_atomic_end();
}

bool compare_exchange_16(wide *object, wide *expected, wide desired, int success, int failure) {
    (void)success;
    (void)failure;
    __heddle_atomic_begin();
    wide old = *object;
    bool equal = old == *expected;
    if (equal) {
        *object = desired;
    } else {
        *expected = old;
    }
    __heddle_atomic_end();
    return equal;
}

#define UPDATE_16(function, name, expression)                                                                          \
    wide function(wide *object, wide value, int order) __asm__(name);                                                  \
    wide function(wide *object, wide value, int order) {                                                               \
        (void)order;                                                                                                   \
        __heddle_atomic_begin();                                                                                       \
        wide old = *object;                                                                                            \
        *object = expression;                                                                                          \
        __heddle_atomic_end();                                                                                         \
        return old;                                                                                                    \
    }

UPDATE_16(exchange_16, "__atomic_exchange_16", value)
UPDATE_16(fetch_add_16, "__atomic_fetch_add_16", old + value)
UPDATE_16(fetch_sub_16, "__atomic_fetch_sub_16", old - value)
UPDATE_16(fetch_and_16, "__atomic_fetch_and_16", (old & value))
UPDATE_16(fetch_or_16, "__atomic_fetch_or_16", old | value)
UPDATE_16(fetch_xor_16, "__atomic_fetch_xor_16", old ^ value)
UPDATE_16(fetch_nand_16, "__atomic_fetch_nand_16", ~(old & value))
