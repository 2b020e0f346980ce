/* Strings that end in a zero byte, in the C locale. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

size_t strlen(const char *string) {
    const char *at = string;
    while (*at != '\0') {
        at++;
    }
    return (size_t)(at - string);
}

size_t strnlen(const char *string, size_t limit) {
    size_t length = 0;
    while (length < limit && string[length] != '\0') {
        length++;
    }
    return length;
}

char *stpcpy(char *to, const char *from) {
    for (;;) {
        char byte = *from;
        *to = byte;
        if (byte == '\0') {
            return to;
        }
        to++;
        from++;
    }
}

char *strcpy(char *to, const char *from) {
    stpcpy(to, from);
    return to;
}

/* Fills what is left with zeros; the result is where they begin. */
char *stpncpy(char *to, const char *from, size_t limit) {
    size_t at = 0;
    for (; at < limit; at++) {
        char byte = from[at];
        if (byte == '\0') {
            break;
        }
        to[at] = byte;
    }
    for (size_t rest = at; rest < limit; rest++) {
        to[rest] = '\0';
    }
    return to + at;
}

char *strncpy(char *to, const char *from, size_t limit) {
    stpncpy(to, from, limit);
    return to;
}

char *strcat(char *to, const char *from) {
    stpcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *to, const char *from, size_t limit) {
    char *end = to + strlen(to);
    for (; limit > 0; limit--) {
        char byte = *from;
        if (byte == '\0') {
            break;
        }
        *end = byte;
        end++;
        from++;
    }
    *end = '\0';
    return to;
}

int strcmp(const char *left, const char *right) {
    for (;; left++, right++) {
        int a = (unsigned char)*left;
        int b = (unsigned char)*right;
        if (a != b || a == '\0') {
            return a - b;
        }
    }
}

int strncmp(const char *left, const char *right, size_t limit) {
    for (; limit > 0; limit--, left++, right++) {
        int a = (unsigned char)*left;
        int b = (unsigned char)*right;
        if (a != b || a == '\0') {
            return a - b;
        }
    }
    return 0;
}

static int lower(char byte) {
    int value = (unsigned char)byte;
    return value >= 'A' && value <= 'Z' ? value - 'A' + 'a' : value;
}

int strcasecmp(const char *left, const char *right) {
    for (;; left++, right++) {
        int a = lower(*left);
        int b = lower(*right);
        if (a != b || a == '\0') {
            return a - b;
        }
    }
}

int strncasecmp(const char *left, const char *right, size_t limit) {
    for (; limit > 0; limit--, left++, right++) {
        int a = lower(*left);
        int b = lower(*right);
        if (a != b || a == '\0') {
            return a - b;
        }
    }
    return 0;
}

int strcoll(const char *left, const char *right) { return strcmp(left, right); }

size_t strxfrm(char *to, const char *from, size_t limit) {
    size_t length = strlen(from);
    if (length < limit) {
        memcpy(to, from, length + 1);
    } else if (limit > 0) {
        memcpy(to, from, limit);
    }
    return length;
}

char *strchrnul(const char *string, int byte) {
    for (;; string++) {
        char here = *string;
        if (here == (char)byte || here == '\0') {
            return (char *)string;
        }
    }
}

char *strchr(const char *string, int byte) {
    for (;; string++) {
        char here = *string;
        if (here == (char)byte) {
            return (char *)string;
        }
        if (here == '\0') {
            return NULL;
        }
    }
}

char *strrchr(const char *string, int byte) {
    const char *last = NULL;
    for (;; string++) {
        char here = *string;
        if (here == (char)byte) {
            last = string;
        }
        if (here == '\0') {
            return (char *)last;
        }
    }
}

char *index(const char *string, int byte) { return strchr(string, byte); }

char *rindex(const char *string, int byte) { return strrchr(string, byte); }

size_t strspn(const char *string, const char *accept) {
    size_t length = 0;
    for (;; length++) {
        char here = string[length];
        if (here == '\0' || strchr(accept, here) == NULL) {
            return length;
        }
    }
}

size_t strcspn(const char *string, const char *reject) {
    size_t length = 0;
    for (;; length++) {
        char here = string[length];
        if (here == '\0' || strchr(reject, here) != NULL) {
            return length;
        }
    }
}

char *strpbrk(const char *string, const char *accept) {
    const char *at = string + strcspn(string, accept);
    return *at == '\0' ? NULL : (char *)at;
}

char *strstr(const char *string, const char *needle) {
    size_t length = strlen(needle);
    for (;; string++) {
        if (strncmp(string, needle, length) == 0) {
            return (char *)string;
        }
        if (*string == '\0') {
            return NULL;
        }
    }
}

char *strcasestr(const char *string, const char *needle) {
    size_t length = strlen(needle);
    for (;; string++) {
        if (strncasecmp(string, needle, length) == 0) {
            return (char *)string;
        }
        if (*string == '\0') {
            return NULL;
        }
    }
}

char *strtok_r(char *string, const char *separators, char **rest) {
    char *at = string == NULL ? *rest : string;
    at += strspn(at, separators);
    if (*at == '\0') {
        *rest = at;
        return NULL;
    }
    char *end = at + strcspn(at, separators);
    if (*end != '\0') {
        *end = '\0';
        end++;
    }
    *rest = end;
    return at;
}

/* Its state is shared by all threads, as in the C library: calls from several threads are a race of the program. */
char *strtok(char *string, const char *separators) {
    static char *rest;
    return strtok_r(string, separators, &rest);
}

char *__strtok_r(char *string, const char *separators, char **rest) { return strtok_r(string, separators, rest); }

char *strsep(char **rest, const char *separators) {
    char *begin = *rest;
    if (begin == NULL) {
        return NULL;
    }
    char *end = begin + strcspn(begin, separators);
    if (*end == '\0') {
        *rest = NULL;
    } else {
        *end = '\0';
        *rest = end + 1;
    }
    return begin;
}

void swab(const void *restrict from, void *restrict to, ssize_t length) {
    const char *in = from;
    char *out = to;
    for (ssize_t at = 0; at + 1 < length; at += 2) {
        char first = in[at];
        out[at] = in[at + 1];
        out[at + 1] = first;
    }
}

int ffs(int bits) { return bits == 0 ? 0 : __builtin_ctz((unsigned)bits) + 1; }

int ffsl(long bits) { return bits == 0 ? 0 : __builtin_ctzl((unsigned long)bits) + 1; }

int ffsll(long long bits) { return bits == 0 ? 0 : __builtin_ctzll((unsigned long long)bits) + 1; }

char *__stpcpy(char *to, const char *from) { return stpcpy(to, from); }

char *__stpncpy(char *to, const char *from, size_t limit) { return stpncpy(to, from, limit); }
