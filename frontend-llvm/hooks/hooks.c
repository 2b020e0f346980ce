// What instrumented code does at its decisions. The instrumenter only calls these functions; they are linked into the
// module before it is optimised, so that nothing is left of the calls.
//
// The bits of the current word are kept in a variable of each function (`bits`), which becomes a register, and are stored
// to the mapped file before anything that another thread could see. `word` is where they belong.
#define _GNU_SOURCE
#include <stdbool.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>

#include "../models/merge_sort.h"

#define INLINE static inline __attribute__((always_inline, used))

struct heddle_slot {
    uint64_t *word;
    uint64_t *end;
    void *thread;
    uint64_t sink[2];
};

struct heddle_program {
    uint8_t identity[16];
    uint32_t functions;
    uint32_t flags;
    void *const *function;
    struct heddle_slot *(*slot)(void);
};

struct heddle_buffer {
    const void *at;
    uint64_t length;
};

void __heddle_rt_start(const struct heddle_program *);
void __heddle_rt_next(struct heddle_slot *);
void __heddle_rt_callee(struct heddle_slot *, const void *);
void __heddle_rt_input(struct heddle_slot *, uint32_t, int64_t, uint32_t, const struct heddle_buffer *);
void __heddle_rt_unknown(struct heddle_slot *, uint32_t, int64_t);
void __heddle_rt_arguments(struct heddle_slot *, int, char **);
int __heddle_seq_pthread_once(pthread_once_t *, void (*)(void));

// Threads that nobody registered share this word: what they say is not heard.
static uint64_t nowhere[2] = {1, 0};

static __thread struct heddle_slot slot __attribute__((tls_model("initial-exec"))) = {
    .word = &nowhere[0],
    .end = &nowhere[1],
};

__attribute__((noinline, visibility("hidden"))) struct heddle_slot *__heddle_this_slot(void) { return &slot; }

// The instrumenter gives these their values.
extern void *const __heddle_functions[];
extern const uint32_t __heddle_function_count;
extern const uint8_t __heddle_identity[16];
// Whether shared operations have hooks.
extern const uint32_t __heddle_hooked;

static struct heddle_program program;

__attribute__((constructor(101), used)) static void __heddle_start(void) {
    for (int i = 0; i < 16; i++) program.identity[i] = __heddle_identity[i];
    program.functions = __heddle_function_count;
    program.flags = __heddle_hooked;
    program.function = __heddle_functions;
    program.slot = __heddle_this_slot;
    __heddle_rt_start(&program);
}

// The word is full. Registers are left as they were, so that the way that is seldom taken costs the other one nothing.
__attribute__((preserve_most, noinline, cold, used)) static void __heddle_full(void) {
    uint64_t *next = slot.word + 1;
    if (next < slot.end) {
        *next = 1;
        slot.word = next;
    } else {
        __heddle_rt_next(&slot);
    }
}

INLINE void __heddle_enter(uint64_t **word, uint64_t *bits) {
    *word = slot.word;
    *bits = **word;
}

// Makes room for so many bits; the sentinel takes one of the word.
INLINE void __heddle_room(uint64_t **word, uint64_t *bits, uint64_t room) {
    if (__builtin_expect(*bits >> (63 - room) != 0, 0)) {
        **word = *bits;
        __heddle_full();
        *word = slot.word;
        *bits = 1;
    }
}

INLINE void __heddle_bit(uint64_t *bits, bool bit) { *bits = *bits << 1 | bit; }

INLINE void __heddle_number(uint64_t *bits, uint64_t number, uint64_t width) { *bits = *bits << width | number; }

// What follows may be seen by others: the bits that led to it come first. The processor keeps the order of stores; the
// fence makes the compiler keep it.
INLINE void __heddle_flush(uint64_t *const *word, const uint64_t *bits) {
    **word = *bits;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

__attribute__((noinline, used)) static void __heddle_callee(const void *function) { __heddle_rt_callee(&slot, function); }

__attribute__((noinline, used)) static void __heddle_input(uint32_t name, int64_t result, uint32_t count,
                                                           const struct heddle_buffer *buffers) {
    __heddle_rt_input(&slot, name, result, count, buffers);
}

__attribute__((noinline, used)) static void __heddle_unknown(uint32_t place, int64_t result) {
    __heddle_rt_unknown(&slot, place, result);
}

__attribute__((noinline, used)) static void __heddle_arguments(int count, char **arguments) {
    __heddle_rt_arguments(&slot, count, arguments);
}

// Which bytes an input function filled, said in the words of the table of effects.
INLINE void __heddle_buffer(struct heddle_buffer *buffer, const void *at, uint64_t length) {
    buffer->at = at;
    buffer->length = at ? length : 0;
}

INLINE const void *__heddle_behind(void *const *at) { return at ? *at : NULL; }

INLINE uint64_t __heddle_length_of_result(int64_t result, uint64_t size, uint64_t more) {
    return result > 0 ? (uint64_t)result * size + more : 0;
}

INLINE uint64_t __heddle_length_of_text(int64_t result, const char *text) {
    return result && text ? strlen(text) + 1 : 0;
}

// A number that is recorded itself: its bits are pushed before.
__attribute__((always_inline, visibility("hidden"))) inline uint64_t __heddle_record_value(uint64_t value, int width) {
    (void)width;
    return value;
}

// Inline functions of C need a definition that is none.
extern uint64_t __heddle_record_value(uint64_t value, int width);

// Library functions that call the program back, done here so that it is known when they do.

struct once {
    void (*routine)(void);
    bool ran;
    struct once *outer;
};

static __thread struct once *once __attribute__((tls_model("initial-exec")));

static void record_bit(bool bit) {
    uint64_t *word, bits;
    __heddle_enter(&word, &bits);
    __heddle_room(&word, &bits, 1);
    __heddle_bit(&bits, bit);
    __heddle_flush(&word, &bits);
}

static void run_once(void) {
    struct once *own = once;
    own->ran = true;
    record_bit(true);
    own->routine();
}

// Also when the routine is left by an exception.
static void end_once(struct once *own) { once = own->outer; }

__attribute__((noinline, visibility("hidden"))) int __heddle_own_pthread_once(pthread_once_t *control,
                                                                               void (*routine)(void)) {
    __attribute__((cleanup(end_once))) struct once own = {.routine = routine, .outer = once};
    once = &own;
    int result = __heddle_hooked ? __heddle_seq_pthread_once(control, run_once) : pthread_once(control, run_once);
    if (!own.ran) record_bit(false);
    return result;
}

__attribute__((visibility("hidden"))) void __heddle_own_call_once(once_flag *control, void (*routine)(void)) {
    __heddle_own_pthread_once((pthread_once_t *)control, routine);
}

static int compare_plainly(const void *left, const void *right, void *compare) {
    return ((int (*)(const void *, const void *))compare)(left, right);
}

__attribute__((visibility("hidden"))) void __heddle_own_qsort_r(void *array, size_t count, size_t size,
                                                                int (*compare)(const void *, const void *, void *),
                                                                void *argument) {
    char small[1024];
    if (count <= 1 || size == 0) return;
    struct sorting sorting = {.size = size, .compare = compare, .argument = argument};
    char *scratch = count * size <= sizeof small ? small : malloc(count * size);
    // Without memory the library sorts in its own way, and the record says so by not fitting.
    if (scratch == NULL) {
        qsort_r(array, count, size, compare, argument);
        return;
    }
    sorting.scratch = scratch;
    merge_sort(&sorting, array, count);
    if (scratch != small) free(scratch);
}

__attribute__((visibility("hidden"))) void __heddle_own_qsort(void *array, size_t count, size_t size,
                                                              int (*compare)(const void *, const void *)) {
    __heddle_own_qsort_r(array, count, size, compare_plainly, (void *)compare);
}

__attribute__((visibility("hidden"))) void *__heddle_own_bsearch(const void *key, const void *array, size_t count,
                                                                 size_t size,
                                                                 int (*compare)(const void *, const void *)) {
    return search_sorted(key, array, count, size, compare);
}
