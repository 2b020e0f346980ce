/* The checked variants that _FORTIFY_SOURCE makes of calls. They do not check: the machine sees an access beyond an
 * object's end itself, and says where. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model.h"

void *__memcpy_chk(void *to, const void *from, size_t length, size_t room) {
    (void)room;
    return memcpy(to, from, length);
}

void *__mempcpy_chk(void *to, const void *from, size_t length, size_t room) {
    (void)room;
    return mempcpy(to, from, length);
}

void *__memmove_chk(void *to, const void *from, size_t length, size_t room) {
    (void)room;
    return memmove(to, from, length);
}

void *__memset_chk(void *to, int byte, size_t length, size_t room) {
    (void)room;
    return memset(to, byte, length);
}

void __explicit_bzero_chk(void *to, size_t length, size_t room) {
    (void)room;
    memset(to, 0, length);
}

char *__strcpy_chk(char *to, const char *from, size_t room) {
    (void)room;
    return strcpy(to, from);
}

char *__stpcpy_chk(char *to, const char *from, size_t room) {
    (void)room;
    return stpcpy(to, from);
}

char *__strncpy_chk(char *to, const char *from, size_t limit, size_t room) {
    (void)room;
    return strncpy(to, from, limit);
}

char *__stpncpy_chk(char *to, const char *from, size_t limit, size_t room) {
    (void)room;
    return stpncpy(to, from, limit);
}

char *__strcat_chk(char *to, const char *from, size_t room) {
    (void)room;
    return strcat(to, from);
}

char *__strncat_chk(char *to, const char *from, size_t limit, size_t room) {
    (void)room;
    return strncat(to, from, limit);
}

int __vprintf_chk(int flag, const char *format, va_list arguments) {
    (void)flag;
    return vfprintf(stdout, format, arguments);
}

int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list arguments) {
    (void)flag;
    return vfprintf(stream, format, arguments);
}

int __vdprintf_chk(int descriptor, int flag, const char *format, va_list arguments) {
    (void)flag;
    return vdprintf(descriptor, format, arguments);
}

int __vsprintf_chk(char *buffer, int flag, size_t room, const char *format, va_list arguments) {
    (void)flag;
    (void)room;
    return vsprintf(buffer, format, arguments);
}

int __vsnprintf_chk(char *buffer, size_t size, int flag, size_t room, const char *format, va_list arguments) {
    (void)flag;
    (void)room;
    return vsnprintf(buffer, size, format, arguments);
}

int __vasprintf_chk(char **result, int flag, const char *format, va_list arguments) {
    (void)flag;
    return vasprintf(result, format, arguments);
}

int __printf_chk(int flag, const char *format, ...) {
    (void)flag;
    va_list arguments;
    va_start(arguments, format);
    int length = vfprintf(stdout, format, arguments);
    va_end(arguments);
    return length;
}

int __fprintf_chk(FILE *stream, int flag, const char *format, ...) {
    (void)flag;
    va_list arguments;
    va_start(arguments, format);
    int length = vfprintf(stream, format, arguments);
    va_end(arguments);
    return length;
}

int __dprintf_chk(int descriptor, int flag, const char *format, ...) {
    (void)flag;
    va_list arguments;
    va_start(arguments, format);
    int length = vdprintf(descriptor, format, arguments);
    va_end(arguments);
    return length;
}

int __sprintf_chk(char *buffer, int flag, size_t room, const char *format, ...) {
    (void)flag;
    (void)room;
    va_list arguments;
    va_start(arguments, format);
    int length = vsprintf(buffer, format, arguments);
    va_end(arguments);
    return length;
}

int __snprintf_chk(char *buffer, size_t size, int flag, size_t room, const char *format, ...) {
    (void)flag;
    (void)room;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(buffer, size, format, arguments);
    va_end(arguments);
    return length;
}

int __asprintf_chk(char **result, int flag, const char *format, ...) {
    (void)flag;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(result, format, arguments);
    va_end(arguments);
    return length;
}

char *__fgets_chk(char *buffer, size_t room, int size, FILE *stream) {
    (void)room;
    return fgets(buffer, size, stream);
}

char *__fgets_unlocked_chk(char *buffer, size_t room, int size, FILE *stream) {
    (void)room;
    return fgets(buffer, size, stream);
}

size_t __fread_chk(void *block, size_t room, size_t size, size_t count, FILE *stream) {
    (void)room;
    return fread(block, size, count, stream);
}

size_t __fread_unlocked_chk(void *block, size_t room, size_t size, size_t count, FILE *stream) {
    (void)room;
    return fread(block, size, count, stream);
}

ssize_t __read_chk(int descriptor, void *buffer, size_t length, size_t room) {
    (void)room;
    return read(descriptor, buffer, length);
}

int __open_2(const char *path, int flags) { return open(path, flags); }

int __open64_2(const char *path, int flags) { return open(path, flags); }

int __gethostname_chk(char *name, size_t size, size_t room) {
    (void)room;
    return gethostname(name, size);
}

long __fdelt_chk(long descriptor) { return descriptor / 64; }

_Noreturn void __chk_fail(void) { __heddle_process_fail("buffer overflow detected", NULL, 0, NULL); }

_Noreturn void __stack_chk_fail(void) { __heddle_process_fail("stack smashing detected", NULL, 0, NULL); }
