// A parallel merge sort of numbers: each thread sorts its part, then all threads merge pairs of parts together, each a
// piece of the result that a binary search finds for it.
//
//     merge-sort [SEED [NUMBERS [THREADS]]]          THREADS is a power of two
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_THREADS 16
#define SMALL 16

struct sorter {
    pthread_t thread;
    pthread_barrier_t *barrier;
    uint32_t *numbers;
    uint32_t *scratch;
    size_t count;
    unsigned number;
    unsigned threads;
};

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void insertion_sort(uint32_t *numbers, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t number = numbers[i];
        size_t at = i;

        while (at > 0 && numbers[at - 1] > number) {
            numbers[at] = numbers[at - 1];
            at--;
        }
        numbers[at] = number;
    }
}

static void merge(const uint32_t *left, size_t left_count, const uint32_t *right, size_t right_count, uint32_t *to)
{
    const uint32_t *left_end = left + left_count;
    const uint32_t *right_end = right + right_count;

    while (left < left_end && right < right_end) {
        if (*right < *left)
            *to++ = *right++;
        else
            *to++ = *left++;
    }
    memcpy(to, left, (left_end - left) * sizeof *left);
    to += left_end - left;
    memcpy(to, right, (right_end - right) * sizeof *right);
}

static void sort(uint32_t *numbers, uint32_t *scratch, size_t count)
{
    size_t half = count / 2;

    if (count <= SMALL) {
        insertion_sort(numbers, count);
        return;
    }
    sort(numbers, scratch, half);
    sort(numbers + half, scratch + half, count - half);
    if (numbers[half - 1] <= numbers[half])
        return;
    memcpy(scratch, numbers, half * sizeof *numbers);
    merge(scratch, half, numbers + half, count - half, numbers);
}

// How many of the first `rank` numbers of the merged sequence come from the left.
static size_t split_at(const uint32_t *left, size_t left_count, const uint32_t *right, size_t right_count, size_t rank)
{
    size_t low = rank > right_count ? rank - right_count : 0;
    size_t high = rank < left_count ? rank : left_count;

    while (low < high) {
        size_t from_left = low + (high - low) / 2;
        size_t from_right = rank - from_left;

        if (from_right > 0 && left[from_left] <= right[from_right - 1])
            low = from_left + 1;
        else
            high = from_left;
    }
    return low;
}

static size_t begin_of(const struct sorter *sorter, unsigned part)
{
    return sorter->count / sorter->threads * part + sorter->count % sorter->threads * part / sorter->threads;
}

// Threads that share a pair of runs each merge one piece of it.
static void merge_piece(const struct sorter *sorter, const uint32_t *from, uint32_t *to, unsigned width)
{
    unsigned first = sorter->number / (2 * width) * (2 * width);
    size_t begin = begin_of(sorter, first);
    size_t middle = begin_of(sorter, first + width);
    size_t end = begin_of(sorter, first + 2 * width);
    const uint32_t *left = from + begin;
    const uint32_t *right = from + middle;
    size_t from_rank = begin_of(sorter, sorter->number) - begin;
    size_t to_rank = begin_of(sorter, sorter->number + 1) - begin;
    size_t left_from = split_at(left, middle - begin, right, end - middle, from_rank);
    size_t left_to = split_at(left, middle - begin, right, end - middle, to_rank);

    merge(left + left_from, left_to - left_from, right + (from_rank - left_from),
          (to_rank - left_to) - (from_rank - left_from), to + begin + from_rank);
}

static void *run_sorter(void *argument)
{
    struct sorter *sorter = argument;
    size_t begin = begin_of(sorter, sorter->number);
    size_t end = begin_of(sorter, sorter->number + 1);
    uint32_t *from = sorter->numbers;
    uint32_t *to = sorter->scratch;

    sort(from + begin, to + begin, end - begin);
    for (unsigned width = 1; width < sorter->threads; width *= 2) {
        uint32_t *merged = to;

        pthread_barrier_wait(sorter->barrier);
        merge_piece(sorter, from, to, width);
        to = from;
        from = merged;
    }
    return NULL;
}

// In which of the two arrays the result of all merging lies.
static const uint32_t *result_of(const struct sorter *sorter)
{
    const uint32_t *from = sorter->numbers;
    const uint32_t *to = sorter->scratch;

    for (unsigned width = 1; width < sorter->threads; width *= 2) {
        const uint32_t *merged = to;

        to = from;
        from = merged;
    }
    return from;
}

static bool is_sorted(const uint32_t *numbers, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (numbers[i - 1] > numbers[i])
            return false;
    }
    return true;
}

static uint64_t sum_of(const uint32_t *numbers, size_t count)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += numbers[i];
    return sum;
}

static uint32_t *allocate_numbers(size_t count)
{
    uint32_t *numbers = malloc(count * sizeof *numbers);

    if (numbers == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return numbers;
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    size_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 8000000;
    unsigned threads = argc > 3 ? strtoul(argv[3], NULL, 10) : 2;
    struct sorter sorters[MAX_THREADS];
    pthread_barrier_t barrier;
    uint32_t *numbers, *scratch;
    uint64_t sum;
    bool right;

    if (threads == 0 || threads > MAX_THREADS || (threads & (threads - 1)) != 0) {
        fprintf(stderr, "usage: merge-sort [SEED [NUMBERS [THREADS]]], and THREADS is a power of two\n");
        return 2;
    }
    numbers = allocate_numbers(count);
    scratch = allocate_numbers(count);
    for (size_t i = 0; i < count; i++)
        numbers[i] = next_random(&seed);
    sum = sum_of(numbers, count);

    pthread_barrier_init(&barrier, NULL, threads);
    for (unsigned i = 0; i < threads; i++) {
        sorters[i] = (struct sorter){.barrier = &barrier,
                                     .numbers = numbers,
                                     .scratch = scratch,
                                     .count = count,
                                     .number = i,
                                     .threads = threads};
        if (pthread_create(&sorters[i].thread, NULL, run_sorter, &sorters[i]) != 0)
            return 2;
    }
    for (unsigned i = 0; i < threads; i++)
        pthread_join(sorters[i].thread, NULL);
    pthread_barrier_destroy(&barrier);

    right = is_sorted(result_of(&sorters[0]), count) && sum_of(result_of(&sorters[0]), count) == sum;
    printf("%zu numbers: %s\n", count, right ? "sorted" : "not sorted");
    free(numbers);
    free(scratch);
    return right ? 0 : 1;
}
