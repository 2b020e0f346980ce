// Each thread has its own copy of a thread-local variable; a static local exists once.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define THREADS 2

struct context {
    int depth;
    char label[4];
};

static _Thread_local int counter = 5;
static _Thread_local struct context context = {1, "ctx"};
static atomic_int total;
static int *addresses[THREADS];
static volatile int sensor = 3;

static int next_number(void)
{
    static _Thread_local int number;

    return ++number;
}

static int shared_number(void)
{
    static atomic_int number;

    return ++number;
}

static void *work(void *arg)
{
    int rounds = *(const int *)arg;

    for (int i = 0; i < rounds; i++) {
        counter += 10;
        context.depth++;
        next_number();
    }
    context.label[0] = (char)('0' + rounds);
    shared_number();
    addresses[rounds - 1] = &counter;
    total += counter + context.depth + next_number() + (context.label[0] - '0') + (context.label[1] == 't');
    return NULL;
}

static int sample(void)
{
    int first = sensor, second = sensor;

    sensor = first + second;
    return sensor;
}

int main(void)
{
    static const int rounds[THREADS] = {1, 2};
    pthread_t threads[THREADS];

    counter = 1000;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)&rounds[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("total %d, main's counter %d, label %s, depth %d\n", total, counter, context.label, context.depth);
    printf("own number %d, shared number %d\n", next_number(), shared_number());
    printf("not main's counter: %d %d\n", addresses[0] != &counter, addresses[1] != &counter);
    sample();
    printf("sampled %d\n", sample());
    return 0;
}
