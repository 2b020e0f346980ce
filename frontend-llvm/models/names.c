/* Parts of path names, the byte order of networks, and the one locale that there is. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <langinfo.h>
#include <libgen.h>
#include <limits.h>
#include <locale.h>
#include <stddef.h>
#include <string.h>

#undef htons
#undef htonl
#undef ntohs
#undef ntohl
#undef basename

uint16_t htons(uint16_t value) { return __builtin_bswap16(value); }

uint32_t htonl(uint32_t value) { return __builtin_bswap32(value); }

uint16_t ntohs(uint16_t value) { return __builtin_bswap16(value); }

uint32_t ntohl(uint32_t value) { return __builtin_bswap32(value); }

/* GNU's, which leaves its argument alone; POSIX's is __xpg_basename. */
char *gnu_basename(const char *path) __asm__("basename");

char *gnu_basename(const char *path) {
    char *slash = strrchr(path, '/');
    return slash == NULL ? (char *)path : slash + 1;
}

char *__xpg_basename(char *path) {
    if (path == NULL || *path == '\0') {
        return ".";
    }
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/') {
        end--;
        path[end] = '\0';
    }
    char *slash = strrchr(path, '/');
    return slash == NULL || end == 1 ? path : slash + 1;
}

char *dirname(char *path) {
    size_t end = path == NULL ? 0 : strlen(path);
    while (end > 1 && path[end - 1] == '/') {
        end--;
    }
    while (end > 0 && path[end - 1] != '/') {
        end--;
    }
    if (end == 0) {
        return ".";
    }
    while (end > 1 && path[end - 1] == '/') {
        end--;
    }
    path[end] = '\0';
    return path;
}

char *setlocale(int category, const char *name) {
    (void)category;
    if (name == NULL || *name == '\0' || strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0) {
        return "C";
    }
    return NULL;
}

static struct lconv conventions = {
    .decimal_point = ".",
    .thousands_sep = "",
    .grouping = "",
    .int_curr_symbol = "",
    .currency_symbol = "",
    .mon_decimal_point = "",
    .mon_thousands_sep = "",
    .mon_grouping = "",
    .positive_sign = "",
    .negative_sign = "",
    .int_frac_digits = CHAR_MAX,
    .frac_digits = CHAR_MAX,
    .p_cs_precedes = CHAR_MAX,
    .p_sep_by_space = CHAR_MAX,
    .n_cs_precedes = CHAR_MAX,
    .n_sep_by_space = CHAR_MAX,
    .p_sign_posn = CHAR_MAX,
    .n_sign_posn = CHAR_MAX,
};

struct lconv *localeconv(void) { return &conventions; }

char *nl_langinfo(nl_item item) { return item == CODESET ? "ANSI_X3.4-1968" : item == RADIXCHAR ? "." : ""; }
