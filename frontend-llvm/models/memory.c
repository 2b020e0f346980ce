/* The blocks of the heap, and the functions that move bytes. The front end lowers llvm.memcpy, llvm.memmove and
 * llvm.memset to the functions here.
 *
 * A copy goes upwards in the largest aligned units of 8, 4, 2 and 1 bytes, so that an aligned word, and above all an
 * aligned pointer, is read and written as a whole. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "heddle.h"

typedef uint64_t __attribute__((may_alias)) word64;
typedef uint32_t __attribute__((may_alias)) word32;
typedef uint16_t __attribute__((may_alias)) word16;

enum { HEAP_ALIGN = 16 };

/* The largest unit that fits both addresses and the length. */
static size_t unit_of(uintptr_t addresses, size_t length) {
    if ((addresses & 7) == 0 && length >= 8) {
        return 8;
    }
    if ((addresses & 3) == 0 && length >= 4) {
        return 4;
    }
    return (addresses & 1) == 0 && length >= 2 ? 2 : 1;
}

static void copy_unit(unsigned char *to, const unsigned char *from, size_t unit) {
    if (unit == 8) {
        *(word64 *)to = *(const word64 *)from;
    } else if (unit == 4) {
        *(word32 *)to = *(const word32 *)from;
    } else if (unit == 2) {
        *(word16 *)to = *(const word16 *)from;
    } else {
        *to = *from;
    }
}

static void copy_upwards(unsigned char *to, const unsigned char *from, size_t length) {
    if ((((uintptr_t)to | (uintptr_t)from) & 7) == 0) {
        for (; length >= 8; to += 8, from += 8, length -= 8) {
            *(word64 *)to = *(const word64 *)from;
        }
    }
    while (length > 0) {
        size_t unit = unit_of((uintptr_t)to | (uintptr_t)from, length);
        copy_unit(to, from, unit);
        to += unit;
        from += unit;
        length -= unit;
    }
}

static void copy_downwards(unsigned char *to, const unsigned char *from, size_t length) {
    while (length > 0) {
        size_t unit = unit_of((uintptr_t)(to + length) | (uintptr_t)(from + length), length);
        length -= unit;
        copy_unit(to + length, from + length, unit);
    }
}

void *memcpy(void *to, const void *from, size_t length) {
    copy_upwards(to, from, length);
    return to;
}

void *mempcpy(void *to, const void *from, size_t length) {
    copy_upwards(to, from, length);
    return (char *)to + length;
}

void *memmove(void *to, const void *from, size_t length) {
    if ((uintptr_t)to - (uintptr_t)from < length) {
        copy_downwards(to, from, length);
    } else {
        copy_upwards(to, from, length);
    }
    return to;
}

void *memset(void *to, int byte, size_t length) {
    unsigned char *at = to;
    uint64_t pattern = (unsigned char)byte * 0x0101010101010101u;
    if (((uintptr_t)at & 7) == 0) {
        for (; length >= 8; at += 8, length -= 8) {
            *(word64 *)at = pattern;
        }
    }
    while (length > 0) {
        size_t unit = unit_of((uintptr_t)at, length);
        if (unit == 8) {
            *(word64 *)at = pattern;
        } else if (unit == 4) {
            *(word32 *)at = (uint32_t)pattern;
        } else if (unit == 2) {
            *(word16 *)at = (uint16_t)pattern;
        } else {
            *at = (unsigned char)pattern;
        }
        at += unit;
        length -= unit;
    }
    return to;
}

void *memccpy(void *to, const void *from, int byte, size_t length) {
    unsigned char *out = to;
    const unsigned char *in = from;
    for (size_t i = 0; i < length; i++) {
        unsigned char here = in[i];
        out[i] = here;
        if (here == (unsigned char)byte) {
            return out + i + 1;
        }
    }
    return NULL;
}

int memcmp(const void *left, const void *right, size_t length) {
    const unsigned char *a = left;
    const unsigned char *b = right;
    for (size_t i = 0; i < length; i++) {
        int difference = a[i] - b[i];
        if (difference != 0) {
            return difference;
        }
    }
    return 0;
}

void *memchr(const void *block, int byte, size_t length) {
    const unsigned char *at = block;
    for (; length > 0; length--, at++) {
        if (*at == (unsigned char)byte) {
            return (void *)at;
        }
    }
    return NULL;
}

void *rawmemchr(const void *block, int byte) {
    const unsigned char *at = block;
    while (*at != (unsigned char)byte) {
        at++;
    }
    return (void *)at;
}

void *memrchr(const void *block, int byte, size_t length) {
    const unsigned char *bytes = block;
    while (length > 0) {
        length--;
        if (bytes[length] == (unsigned char)byte) {
            return (void *)(bytes + length);
        }
    }
    return NULL;
}

void *memmem(const void *block, size_t length, const void *needle, size_t needle_length) {
    const unsigned char *at = block;
    while (length >= needle_length) {
        if (memcmp(at, needle, needle_length) == 0) {
            return (void *)at;
        }
        at++;
        length--;
    }
    return NULL;
}

void bcopy(const void *from, void *to, size_t length) { memmove(to, from, length); }

void bzero(void *to, size_t length) { memset(to, 0, length); }

void explicit_bzero(void *to, size_t length) { memset(to, 0, length); }

int bcmp(const void *left, const void *right, size_t length) { return memcmp(left, right, length); }

static void *allocate(size_t size, size_t align, int zeroed) {
    void *block = size <= PTRDIFF_MAX ? __heddle_memory_alloc(size, align, zeroed) : NULL;
    if (block == NULL) {
        errno = ENOMEM;
    }
    return block;
}

void *malloc(size_t size) { return allocate(size, HEAP_ALIGN, 0); }

void *calloc(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return allocate(bytes, HEAP_ALIGN, 1);
}

void free(void *block) {
    if (block != NULL) {
        __heddle_memory_free(block);
    }
}

void *realloc(void *block, size_t size) {
    if (block == NULL) {
        return allocate(size, HEAP_ALIGN, 0);
    }
    if (size == 0) {
        __heddle_memory_free(block);
        return NULL;
    }
    size_t old = __heddle_memory_size(block);
    void *moved = allocate(size, HEAP_ALIGN, 0);
    if (moved != NULL) {
        copy_upwards(moved, block, old < size ? old : size);
        __heddle_memory_free(block);
    }
    return moved;
}

void *reallocarray(void *block, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, bytes);
}

void *aligned_alloc(size_t align, size_t size) {
    if (align == 0 || (align & (align - 1)) != 0) {
        errno = EINVAL;
        return NULL;
    }
    return allocate(size, align < HEAP_ALIGN ? HEAP_ALIGN : align, 0);
}

void *memalign(size_t align, size_t size) {
    size_t power = HEAP_ALIGN;
    while (power < align) {
        power *= 2;
    }
    return allocate(size, power, 0);
}

void *valloc(size_t size) { return allocate(size, 4096, 0); }

void *pvalloc(size_t size) { return allocate((size + 4095) & ~(size_t)4095, 4096, 0); }

int posix_memalign(void **where, size_t align, size_t size) {
    if (align < sizeof(void *) || (align & (align - 1)) != 0) {
        return EINVAL;
    }
    if (size > PTRDIFF_MAX) {
        return ENOMEM;
    }
    void *block = __heddle_memory_alloc(size, align < HEAP_ALIGN ? HEAP_ALIGN : align, 0);
    if (block == NULL) {
        return ENOMEM;
    }
    *where = block;
    return 0;
}

size_t malloc_usable_size(void *block) { return block == NULL ? 0 : __heddle_memory_size(block); }

char *strdup(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = allocate(size, HEAP_ALIGN, 0);
    if (copy != NULL) {
        copy_upwards((unsigned char *)copy, (const unsigned char *)text, size);
    }
    return copy;
}

char *strndup(const char *text, size_t limit) {
    size_t length = strnlen(text, limit);
    char *copy = allocate(length + 1, HEAP_ALIGN, 0);
    if (copy != NULL) {
        copy_upwards((unsigned char *)copy, (const unsigned char *)text, length);
        copy[length] = '\0';
    }
    return copy;
}

/* The names that the C library's headers and old programs know these functions by. */
char *__strdup(const char *text) { return strdup(text); }

char *__strndup(const char *text, size_t limit) { return strndup(text, limit); }

void *__mempcpy(void *to, const void *from, size_t length) { return mempcpy(to, from, length); }

void *__rawmemchr(const void *block, int byte) { return rawmemchr(block, byte); }

void cfree(void *block) { free(block); }
