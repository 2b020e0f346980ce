// How threads begin and end: results by return and by pthread_exit, threads created by threads, detached ones.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct range {
    int from, to;
};

static sem_t detached_done;
static int notes[2];
static pthread_t remembered;

static void *sum_range(void *arg)
{
    const struct range *r = arg;
    intptr_t sum = 0;

    for (int i = r->from; i < r->to; i++)
        sum += i;
    return (void *)sum;
}

static void give_up(int depth)
{
    if (depth == 0)
        pthread_exit("gave up");
    give_up(depth - 1);
}

static void *deep(void *arg)
{
    give_up(*(const int *)arg);
    return "came back";
}

static void *split(void *arg)
{
    const struct range *r = arg;
    struct range low = {r->from, (r->from + r->to) / 2}, high = {low.to, r->to};
    pthread_t half;
    void *other;

    pthread_create(&half, NULL, sum_range, &low);
    intptr_t own = (intptr_t)sum_range(&high);
    pthread_join(half, &other);

    intptr_t *result = malloc(sizeof *result);
    *result = own + (intptr_t)other;
    return result;
}

static void *leave_note(void *arg)
{
    *(int *)arg = 1;
    sem_post(&detached_done);
    return NULL;
}

static void *detach_self(void *arg)
{
    pthread_detach(pthread_self());
    return leave_note(arg);
}

static void *identify(void *arg)
{
    pthread_t self = pthread_self();

    *(int *)arg = pthread_equal(self, pthread_self()) != 0;
    remembered = self;
    return NULL;
}

int main(void)
{
    struct range small = {1, 5}, large = {0, 101};
    int depth = 3, same = 0;
    pthread_t thread;
    pthread_attr_t attributes;
    void *result;

    pthread_create(&thread, NULL, sum_range, &small);
    pthread_join(thread, &result);
    printf("sum %d\n", (int)(intptr_t)result);
    pthread_create(&thread, NULL, deep, &depth);
    pthread_join(thread, &result);
    printf("deep thread %s\n", (const char *)result);
    pthread_create(&thread, NULL, split, &large);
    pthread_join(thread, &result);
    printf("split sum %d\n", (int)*(intptr_t *)result);
    free(result);

    sem_init(&detached_done, 0, 0);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &attributes, leave_note, &notes[0]);
    pthread_attr_destroy(&attributes);
    pthread_create(&thread, NULL, detach_self, &notes[1]);
    sem_wait(&detached_done);
    sem_wait(&detached_done);
    printf("notes %d %d\n", notes[0], notes[1]);

    pthread_create(&thread, NULL, identify, &same);
    pthread_join(thread, NULL);
    printf("equal to itself %d, to its handle %d, main to itself %d\n", same, pthread_equal(remembered, thread) != 0,
           pthread_equal(pthread_self(), pthread_self()) != 0);
    return 0;
}
