// Threads that make threads: each sorts its half and merges what its own children bring.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct range {
    int *values;
    int count;
    int level;
};

static void merge(int *values, int left, int count) {
    int *merged = malloc(count * sizeof *merged);
    int a = 0, b = left;
    for (int i = 0; i < count; i++)
        merged[i] = b == count || (a < left && values[a] <= values[b]) ? values[a++] : values[b++];
    memcpy(values, merged, count * sizeof *merged);
    free(merged);
}

static void insert(int *values, int count) {
    for (int i = 1; i < count; i++) {
        int value = values[i], at = i;
        for (; at > 0 && values[at - 1] > value; at--) values[at] = values[at - 1];
        values[at] = value;
    }
}

static void *sorts(void *argument) {
    struct range *range = argument;
    if (range->level == 0 || range->count < 8) {
        insert(range->values, range->count);
        if (range->count % 2) pthread_exit(range);
        return range;
    }
    int left = range->count / 2 - range->level % 2;
    struct range halves[2] = {
        {range->values, left, range->level - 1},
        {range->values + left, range->count - left, range->level - 1},
    };
    pthread_t threads[2];
    void *result;
    pthread_create(&threads[0], NULL, sorts, &halves[0]);
    pthread_create(&threads[1], NULL, sorts, &halves[1]);
    pthread_join(threads[1], &result);
    if (result != &halves[1]) abort();
    pthread_join(threads[0], NULL);
    merge(range->values, left, range->count);
    return range;
}

int main(int argc, char **argv) {
    int count = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 50;
    int *values = malloc(count * sizeof *values);
    uint32_t seed = argc > 2 ? (uint32_t)strlen(argv[2]) : 5;
    for (int i = 0; i < count; i++) values[i] = (int)((seed = seed * 1664525u + 1013904223u) >> 20);
    struct range whole = {values, count, 3};
    pthread_t thread;
    pthread_create(&thread, NULL, sorts, &whole);
    pthread_join(thread, NULL);
    for (int i = 1; i < count; i++)
        if (values[i - 1] > values[i]) return 1;
    printf("%d %d\n", values[0], values[count - 1]);
    free(values);
    return 0;
}
