// What instrumented code does at its decisions. The instrumenter only calls these functions; they are linked into the
// module before it is optimised, so that nothing is left of the calls.
//
// The bits of the current word are kept in a variable of each function (`bits`), which becomes a register, and are stored
// to the mapped file before anything that another thread could see. `word` is where they belong.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
unsigned long strlen(const char *);

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

static struct heddle_program program;

__attribute__((constructor(101), used)) static void __heddle_start(void) {
    for (int i = 0; i < 16; i++) program.identity[i] = __heddle_identity[i];
    program.functions = __heddle_function_count;
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

// Makes room for 32 bits.
INLINE void __heddle_room(uint64_t **word, uint64_t *bits) {
    if (__builtin_expect(*bits >> 31 != 0, 0)) {
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

// A number of 64 bits that is recorded itself.
__attribute__((noinline, visibility("hidden"))) uint64_t __heddle_record_value(uint64_t value) {
    uint64_t *word, bits;
    __heddle_enter(&word, &bits);
    __heddle_room(&word, &bits);
    __heddle_number(&bits, value >> 32, 32);
    __heddle_room(&word, &bits);
    __heddle_number(&bits, value & 0xffffffff, 32);
    __heddle_flush(&word, &bits);
    return value;
}
