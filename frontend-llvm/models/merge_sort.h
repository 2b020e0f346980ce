/* Sorting and searching that call the program back. Recorded programs use these too, natively, so that the comparisons
 * of a run and those of whoever follows its record are the same ones in the same order. */
#include <stddef.h>
#include <string.h>

/* The C library sorts by merging, which keeps the order of equal elements; programs have come to rely on it. */
struct sorting {
    size_t size;
    int (*compare)(const void *, const void *, void *);
    void *argument;
    char *scratch;
};

static void merge_sort(const struct sorting *sorting, char *array, size_t count) {
    if (count <= 1) {
        return;
    }
    size_t size = sorting->size;
    size_t left_count = count / 2;
    size_t right_count = count - left_count;
    char *left = array;
    char *right = array + left_count * size;
    merge_sort(sorting, left, left_count);
    merge_sort(sorting, right, right_count);
    char *out = sorting->scratch;
    while (left_count > 0 && right_count > 0) {
        if (sorting->compare(left, right, sorting->argument) <= 0) {
            memcpy(out, left, size);
            left += size;
            left_count--;
        } else {
            memcpy(out, right, size);
            right += size;
            right_count--;
        }
        out += size;
    }
    memcpy(out, left, left_count * size);
    memcpy(array, sorting->scratch, (count - right_count) * size);
}

static void *search_sorted(const void *key, const void *array, size_t count, size_t size,
                           int (*compare)(const void *, const void *)) {
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *element = (const char *)array + middle * size;
        int order = compare(key, element);
        if (order == 0) {
            return (void *)element;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}
