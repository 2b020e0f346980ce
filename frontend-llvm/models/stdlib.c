/* Small arithmetic, sorting and searching, and environment variables. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "merge_sort.h"
#include "model.h"

int abs(int value) { return value < 0 ? -value : value; }

long labs(long value) { return value < 0 ? -value : value; }

long long llabs(long long value) { return value < 0 ? -value : value; }

intmax_t imaxabs(intmax_t value) { return value < 0 ? -value : value; }

div_t div(int numerator, int denominator) {
    return (div_t){.quot = numerator / denominator, .rem = numerator % denominator};
}

ldiv_t ldiv(long numerator, long denominator) {
    return (ldiv_t){.quot = numerator / denominator, .rem = numerator % denominator};
}

lldiv_t lldiv(long long numerator, long long denominator) {
    return (lldiv_t){.quot = numerator / denominator, .rem = numerator % denominator};
}

imaxdiv_t imaxdiv(intmax_t numerator, intmax_t denominator) {
    return (imaxdiv_t){.quot = numerator / denominator, .rem = numerator % denominator};
}

void qsort_r(void *array, size_t count, size_t size, int (*compare)(const void *, const void *, void *),
             void *argument) {
    if (count <= 1 || size == 0) {
        return;
    }
    struct sorting sorting = {.size = size, .compare = compare, .argument = argument};
    sorting.scratch = __heddle_memory_alloc(count * size, 16, 0);
    merge_sort(&sorting, array, count);
    __heddle_memory_free(sorting.scratch);
}

static int compare_plainly(const void *left, const void *right, void *compare) {
    return ((int (*)(const void *, const void *))compare)(left, right);
}

void qsort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    qsort_r(array, count, size, compare_plainly, (void *)compare);
}

void *bsearch(const void *key, const void *array, size_t count, size_t size,
              int (*compare)(const void *, const void *)) {
    return search_sorted(key, array, count, size, compare);
}

void *lfind(const void *key, const void *array, size_t *count, size_t size,
            int (*compare)(const void *, const void *)) {
    const char *element = array;
    for (size_t i = 0; i < *count; i++, element += size) {
        if (compare(key, element) == 0) {
            return (void *)element;
        }
    }
    return NULL;
}

void *lsearch(const void *key, void *array, size_t *count, size_t size, int (*compare)(const void *, const void *)) {
    void *found = lfind(key, array, count, size, compare);
    if (found == NULL) {
        found = memcpy((char *)array + *count * size, key, size);
        (*count)++;
    }
    return found;
}

/* What the program itself set, newest first; a null value was unset. The rest is the environment's. */
struct variable {
    struct variable *next;
    char *name;
    char *value;
};

static struct variable *variables;

/* The caller is in an atomic section. */
static struct variable *find_variable(const char *name) {
    struct variable *variable = variables;
    while (variable != NULL && strcmp(variable->name, name) != 0) {
        variable = variable->next;
    }
    return variable;
}

char *getenv(const char *name) {
    if (__atomic_load_n(&variables, __ATOMIC_ACQUIRE) != NULL) {
        __heddle_atomic_begin();
        struct variable *found = find_variable(name);
        char *value = found == NULL ? NULL : found->value;
        __heddle_atomic_end();
        if (found != NULL) {
            return value;
        }
    }
    return __heddle_input_variable(name);
}

char *secure_getenv(const char *name) { return getenv(name); }

static int set_variable(const char *name, char *value) {
    struct variable *made = malloc(sizeof *made);
    if (made == NULL) {
        return -1;
    }
    made->name = strdup(name);
    made->value = value;
    __heddle_atomic_begin();
    made->next = variables;
    __atomic_store_n(&variables, made, __ATOMIC_RELEASE);
    __heddle_atomic_end();
    return 0;
}

static int is_name(const char *name) { return name != NULL && *name != '\0' && strchr(name, '=') == NULL; }

int setenv(const char *name, const char *value, int overwrite) {
    if (!is_name(name)) {
        errno = EINVAL;
        return -1;
    }
    if (!overwrite && getenv(name) != NULL) {
        return 0;
    }
    return set_variable(name, strdup(value));
}

int unsetenv(const char *name) {
    if (!is_name(name)) {
        errno = EINVAL;
        return -1;
    }
    return set_variable(name, NULL);
}

/* The string itself becomes part of the environment. */
int putenv(char *string) {
    char *equals = strchr(string, '=');
    if (equals == NULL) {
        return unsetenv(string);
    }
    char *name = strndup(string, (size_t)(equals - string));
    int code = set_variable(name, equals + 1);
    free(name);
    return code;
}

int getloadavg(double loads[], int count) {
    for (int i = 0; i < count && i < 3; i++) {
        loads[i] = 0.0;
    }
    return count < 3 ? count : 3;
}
