/* What the compiler calls behind a C++ program's back: new and delete, guards of function statics, the traps of virtual
 * functions, arrays, and the readable names of types. */
#include <new>
#include <stdlib.h>
#include <string.h>

#include "cxx_model.h"
#include "heddle.h"

static void *allocate(size_t size, size_t align) { return __heddle_memory_alloc(size == 0 ? 1 : size, align, 0); }

enum { DEFAULT_ALIGN = 16 };

void *operator new(size_t size) { return allocate(size, DEFAULT_ALIGN); }
void *operator new[](size_t size) { return operator new(size); }
void *operator new(size_t size, const std::nothrow_t &) noexcept { return allocate(size, DEFAULT_ALIGN); }
void *operator new[](size_t size, const std::nothrow_t &) noexcept { return allocate(size, DEFAULT_ALIGN); }
void *operator new(size_t size, std::align_val_t align) { return allocate(size, static_cast<size_t>(align)); }
void *operator new[](size_t size, std::align_val_t align) { return allocate(size, static_cast<size_t>(align)); }

void operator delete(void *block) noexcept {
    if (block != nullptr) {
        __heddle_memory_free(block);
    }
}

void operator delete[](void *block) noexcept { operator delete(block); }
void operator delete(void *block, size_t) noexcept { operator delete(block); }
void operator delete[](void *block, size_t) noexcept { operator delete(block); }
void operator delete(void *block, const std::nothrow_t &) noexcept { operator delete(block); }
void operator delete[](void *block, const std::nothrow_t &) noexcept { operator delete(block); }
void operator delete(void *block, std::align_val_t) noexcept { operator delete(block); }
void operator delete[](void *block, std::align_val_t) noexcept { operator delete(block); }
void operator delete(void *block, size_t, std::align_val_t) noexcept { operator delete(block); }
void operator delete[](void *block, size_t, std::align_val_t) noexcept { operator delete(block); }

namespace std {

const nothrow_t nothrow{};

} // namespace std

extern "C" {

/* The first byte of a guard says that the object is there; compiled code looks at it before it calls. A lock at the same
 * address keeps the others waiting while one constructs. */
int __cxa_guard_acquire(char *guard) {
    if (__atomic_load_n(guard, __ATOMIC_ACQUIRE) != 0) {
        return 0;
    }
    __heddle_mutex_lock(guard, nullptr);
    if (__atomic_load_n(guard, __ATOMIC_ACQUIRE) != 0) {
        __heddle_mutex_unlock(guard, nullptr);
        return 0;
    }
    return 1;
}

void __cxa_guard_release(char *guard) noexcept {
    __atomic_store_n(guard, static_cast<char>(1), __ATOMIC_RELEASE);
    __heddle_mutex_unlock(guard, nullptr);
}

void __cxa_guard_abort(char *guard) noexcept { __heddle_mutex_unlock(guard, nullptr); }

[[noreturn]] void __cxa_pure_virtual() {
    __heddle_process_uncaught("a pure virtual function was called");
}

[[noreturn]] void __cxa_deleted_virtual() {
    __heddle_process_uncaught("a deleted virtual function was called");
}
}

/* A name of the ABI's grammar is turned into words as far as it is made of names and fundamental types; templates and
 * what is behind them stay as they are. */
struct Reader {
    const char *at;
    char *text;
    size_t length;
    size_t size;
};

static void put(Reader &reader, const char *text, size_t length) {
    for (size_t index = 0; index < length && reader.length + 1 < reader.size; index++) {
        reader.text[reader.length++] = text[index];
    }
    reader.text[reader.length] = '\0';
}

static void say(Reader &reader, const char *text) { put(reader, text, strlen(text)); }

static bool read_source_name(Reader &reader) {
    size_t length = 0;
    while (*reader.at >= '0' && *reader.at <= '9') {
        length = length * 10 + static_cast<size_t>(*reader.at++ - '0');
    }
    if (length == 0 || strlen(reader.at) < length) {
        return false;
    }
    if (strncmp(reader.at, "_GLOBAL__N", 10) == 0) {
        say(reader, "(anonymous namespace)");
    } else {
        put(reader, reader.at, length);
    }
    reader.at += length;
    return true;
}

static const char *fundamental(char letter) {
    static const char letters[] = "vwbcahstijlmxyfde";
    static const char *const names[] = {
        "void", "wchar_t", "bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int",
        "unsigned int", "long", "unsigned long", "long long", "unsigned long long", "float", "double", "long double",
    };
    const char *found = letter == '\0' ? nullptr : strchr(letters, letter);
    return found == nullptr ? nullptr : names[found - letters];
}

static bool read_type(Reader &reader) {
    switch (*reader.at) {
    case 'P': {
        reader.at++;
        bool is_const = *reader.at == 'K';
        reader.at += is_const;
        bool known = read_type(reader);
        say(reader, is_const ? " const*" : "*");
        return known;
    }
    case 'N': {
        reader.at++;
        bool first = true;
        while (*reader.at != 'E') {
            if (!first) {
                say(reader, "::");
            }
            if (reader.at[0] == 'S' && reader.at[1] == 't') {
                reader.at += 2;
                say(reader, "std");
            } else if (!read_source_name(reader)) {
                return false;
            }
            first = false;
        }
        reader.at++;
        return true;
    }
    case 'S':
        if (reader.at[1] != 't') {
            return false;
        }
        reader.at += 2;
        say(reader, "std::");
        return read_source_name(reader);
    default:
        if (const char *name = fundamental(*reader.at)) {
            reader.at++;
            say(reader, name);
            return true;
        }
        return read_source_name(reader);
    }
}

size_t __model_readable_name(const char *mangled, char *text, size_t size) {
    Reader reader = {mangled, text, 0, size};
    if (!read_type(reader) || *reader.at != '\0') {
        reader.length = 0;
        if (strcmp(mangled, "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE") == 0) {
            say(reader, "std::string");
        } else {
            say(reader, mangled);
        }
    }
    return reader.length;
}
