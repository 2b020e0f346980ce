// Heat on a plate: each point becomes the mean of its neighbours, again and again, until the steps are done. Threads own
// bands of rows and wait for each other after each step. The inner loops have no branches but their own: a compiler
// makes vector instructions of them.
//
//     heat-stencil [SEED [STEPS [THREADS]]]
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 768
#define COLUMNS 1024
#define SOURCES 32
#define MAX_THREADS 16
#define STEPS_PER_NORM 16
#define CHECKED_STEPS 21

struct plate {
    float *now;
    float *next;
    // What each point gains or loses by itself.
    float *sources;
};

// The largest change in the last step that was measured, and the heat at the end.
struct outcome {
    float change;
    double heat;
};

struct band {
    pthread_t thread;
    pthread_barrier_t *barrier;
    struct plate plate;
    unsigned from;
    unsigned to;
    unsigned steps;
    struct outcome outcome;
};

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static float *allocate_points(void)
{
    float *points = calloc((size_t)ROWS * COLUMNS, sizeof *points);

    if (points == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return points;
}

static void step_row(const float *above, const float *row, const float *below, const float *sources, float *next)
{
    for (unsigned i = 1; i < COLUMNS - 1; i++)
        next[i] = 0.25f * (above[i] + below[i] + row[i - 1] + row[i + 1]) + sources[i];
}

static void step_band(const struct band *band, const float *now, float *next)
{
    for (unsigned row = band->from; row < band->to; row++) {
        size_t at = (size_t)row * COLUMNS;

        step_row(now + at - COLUMNS, now + at, now + at + COLUMNS, band->plate.sources + at, next + at);
    }
}

static float largest_change(const struct band *band, const float *now, const float *next)
{
    float largest = 0;

    for (size_t i = (size_t)band->from * COLUMNS; i < (size_t)band->to * COLUMNS; i++) {
        float change = fabsf(next[i] - now[i]);

        if (change > largest)
            largest = change;
    }
    return largest;
}

static double heat_of(const struct band *band, const float *now)
{
    double heat = 0;

    for (unsigned row = band->from; row < band->to; row++) {
        float row_heat = 0;

        for (unsigned i = 0; i < COLUMNS; i++)
            row_heat += now[(size_t)row * COLUMNS + i];
        heat += row_heat;
    }
    return heat;
}

static void *run_band(void *argument)
{
    struct band *band = argument;
    float *now = band->plate.now;
    float *next = band->plate.next;

    for (unsigned step = 0; step < band->steps; step++) {
        float *done = next;

        step_band(band, now, next);
        if (step % STEPS_PER_NORM == 0)
            band->outcome.change = largest_change(band, now, next);
        next = now;
        now = done;
        pthread_barrier_wait(band->barrier);
    }
    band->outcome.heat = heat_of(band, now);
    return NULL;
}

// Sources anywhere, and a rim that keeps its heat.
static struct plate new_plate(uint64_t seed)
{
    struct plate plate = {allocate_points(), allocate_points(), allocate_points()};
    size_t last = (size_t)(ROWS - 1) * COLUMNS;

    for (unsigned i = 0; i < SOURCES; i++) {
        unsigned row = 8 + next_random(&seed) % (ROWS - 16);
        unsigned column = 8 + next_random(&seed) % (COLUMNS - 16);
        float strength = (float)(next_random(&seed) % 1000) / 1000 - 0.4f;

        for (unsigned y = row - 4; y < row + 4; y++) {
            for (unsigned x = column - 4; x < column + 4; x++)
                plate.sources[(size_t)y * COLUMNS + x] += strength / 64;
        }
    }
    for (unsigned x = 0; x < COLUMNS; x++) {
        plate.now[x] = plate.next[x] = 1;
        plate.now[last + x] = plate.next[last + x] = -1;
    }
    return plate;
}

static void free_plate(struct plate plate)
{
    free(plate.now);
    free(plate.next);
    free(plate.sources);
}

// Afterwards `plate->now` has the heat after the last step.
static struct outcome run_steps(struct plate *plate, unsigned steps, unsigned threads)
{
    struct band bands[MAX_THREADS];
    struct outcome outcome = {0};
    pthread_barrier_t barrier;

    pthread_barrier_init(&barrier, NULL, threads);
    for (unsigned i = 0; i < threads; i++) {
        bands[i] = (struct band){.barrier = &barrier,
                                 .plate = *plate,
                                 .from = 1 + (ROWS - 2) * i / threads,
                                 .to = 1 + (ROWS - 2) * (i + 1) / threads,
                                 .steps = steps};
        if (pthread_create(&bands[i].thread, NULL, run_band, &bands[i]) != 0) {
            fprintf(stderr, "cannot start a thread\n");
            exit(2);
        }
    }
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(bands[i].thread, NULL);
        outcome.heat += bands[i].outcome.heat;
        if (bands[i].outcome.change > outcome.change)
            outcome.change = bands[i].outcome.change;
    }
    pthread_barrier_destroy(&barrier);
    if (steps % 2 == 1) {
        float *last = plate->next;

        plate->next = plate->now;
        plate->now = last;
    }
    return outcome;
}

// How the plate is divided must make no difference.
static bool agrees_with_one_thread(uint64_t seed, unsigned threads)
{
    struct plate divided = new_plate(seed);
    struct plate whole = new_plate(seed);
    bool same;

    run_steps(&divided, CHECKED_STEPS, threads);
    run_steps(&whole, CHECKED_STEPS, 1);
    same = memcmp(divided.now, whole.now, (size_t)ROWS * COLUMNS * sizeof *whole.now) == 0;
    free_plate(divided);
    free_plate(whole);
    return same;
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    unsigned steps = argc > 2 ? strtoul(argv[2], NULL, 10) : 2000;
    unsigned threads = argc > 3 ? strtoul(argv[3], NULL, 10) : 2;
    struct outcome outcome;
    struct plate plate;

    if (threads == 0 || threads > MAX_THREADS) {
        fprintf(stderr, "usage: heat-stencil [SEED [STEPS [THREADS]]]\n");
        return 2;
    }
    if (!agrees_with_one_thread(seed, threads)) {
        printf("the bands disagree with one thread\n");
        return 1;
    }
    plate = new_plate(seed);
    outcome = run_steps(&plate, steps, threads);
    free_plate(plate);
    printf("heat %.3f, last change %.6f\n", outcome.heat, outcome.change);
    return 0;
}
