// N threads at a buffer with room for one item: half of them produce and half consume, one item each (of an odd number one
// more consumes, and the first producer makes its item too). They wait with `if`: when somebody else was faster than the one
// who was woken, an item is taken that is not there, or put on another. That needs two who wait for the same, so nothing
// fails with N = 2. With -DCORRECT they wait with `while`.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif

#ifdef CORRECT
#define UNTIL_NOT while
#else
#define UNTIL_NOT if
#endif

enum { PRODUCERS = N / 2, CONSUMERS = N - PRODUCERS, ROOM = 1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static pthread_cond_t emptied = PTHREAD_COND_INITIALIZER;
static int count;

static void put(void) {
    pthread_mutex_lock(&lock);
    UNTIL_NOT (count == ROOM) {
        pthread_cond_wait(&emptied, &lock);
    }
    assert(count < ROOM);
    count++;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
}

static void take(void) {
    pthread_mutex_lock(&lock);
    UNTIL_NOT (count == 0) {
        pthread_cond_wait(&filled, &lock);
    }
    assert(count > 0);
    count--;
    pthread_cond_signal(&emptied);
    pthread_mutex_unlock(&lock);
}

static void *produce(void *argument) {
    (void)argument;
    put();
    return NULL;
}

static void *produce_first(void *argument) {
    if (CONSUMERS > PRODUCERS) {
        put();
    }
    return produce(argument);
}

static void *consume(void *argument) {
    (void)argument;
    take();
    return NULL;
}

int main(void) {
    pthread_t threads[N];

    for (int i = 0; i < N; i++) {
        void *(*work)(void *) = i == 0 ? produce_first : i < PRODUCERS ? produce : consume;

        pthread_create(&threads[i], NULL, work, NULL);
    }
    for (int i = 0; i < N; i++) {
        pthread_join(threads[i], NULL);
    }
    assert(count == 0);
    return 0;
}
