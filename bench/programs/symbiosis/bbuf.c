// Two producers and two consumers on a ring buffer. A consumer lets go of the mutex between testing for an element and
// taking it. Nothing is taken before there is a stock.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { SIZE = 16, ITEMS = 5, PAIRS = 2, STOCK = 8 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static int ring[SIZE];
static int head, rear, produced, consumed, waiting, finished;
static long sum_in, sum_out;

static void put(int item) {
    pthread_mutex_lock(&mutex);
    while ((rear + 1) % SIZE == head) {
        waiting++;
        pthread_cond_wait(&not_full, &mutex);
        waiting--;
    }
    ring[rear] = item;
    rear = (rear + 1) % SIZE;
    produced++;
    sum_in += item;
    if (produced == STOCK) pthread_cond_broadcast(&not_empty);
    else if (produced > STOCK) pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&mutex);
}

static int get(void) {
    pthread_mutex_lock(&mutex);
    while (produced < STOCK || head == rear) {
        waiting++;
        pthread_cond_wait(&not_empty, &mutex);
        waiting--;
    }
    pthread_mutex_unlock(&mutex);

    pthread_mutex_lock(&mutex);
    assert(head != rear);
    int item = ring[head];
    head = (head + 1) % SIZE;
    consumed++;
    sum_out += item;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&mutex);
    return item;
}

static void *produce(void *argument) {
    for (int i = 0; i < ITEMS; i++) put((int)(size_t)argument * 100 + i);
    pthread_mutex_lock(&mutex);
    finished++;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *consume(void *argument) {
    (void)argument;
    for (int i = 0; i < ITEMS; i++) get();
    pthread_mutex_lock(&mutex);
    finished++;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t threads[2 * PAIRS];
    for (int i = 0; i < PAIRS; i++) {
        pthread_create(&threads[2 * i], NULL, consume, NULL);
        pthread_create(&threads[2 * i + 1], NULL, produce, (void *)(size_t)i);
    }
    for (int i = 0; i < 2 * PAIRS; i++) pthread_join(threads[i], NULL);
    return 0;
}
