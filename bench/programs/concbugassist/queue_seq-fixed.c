// A sequential queue in a ring, used by two threads. Each puts its item under the queue's lock, so that the second
// finds the tail advanced.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum {
    CAPACITY = 4,
    EMPTY = -1,
    FIRST_ITEM = 10,
    SECOND_ITEM = 20
};

struct queue {
    int items[CAPACITY];
    int head;
    int tail;
    pthread_mutex_t lock;
};

struct producer {
    pthread_t thread;
    int item;
    int done;
};

static struct queue queue = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct producer producers[2];

static int is_full(const struct queue *queue) {
    return queue->tail - queue->head == CAPACITY;
}

static int is_empty(const struct queue *queue) {
    return queue->tail == queue->head;
}

static int enqueue(struct queue *queue, int item) {
    if (is_full(queue)) {
        return 0;
    }
    queue->items[queue->tail % CAPACITY] = item;
    queue->tail++;
    return 1;
}

static int dequeue(struct queue *queue) {
    int item;

    if (is_empty(queue)) {
        return EMPTY;
    }
    item = queue->items[queue->head % CAPACITY];
    queue->head++;
    return item;
}

static void *produce(void *argument) {
    struct producer *self = argument;

    pthread_mutex_lock(&queue.lock);
    self->done = enqueue(&queue, self->item);
    pthread_mutex_unlock(&queue.lock);
    return NULL;
}

static void start(struct producer *producer, int item) {
    producer->item = item;
    producer->done = 0;
    pthread_create(&producer->thread, NULL, produce, producer);
}

static int finish(struct producer *producer) {
    pthread_join(producer->thread, NULL);
    return producer->done;
}

int main(void) {
    int produced, one, other;

    start(&producers[0], FIRST_ITEM);
    start(&producers[1], SECOND_ITEM);
    produced = finish(&producers[0]);
    produced += finish(&producers[1]);
    assert(produced == 2);

    one = dequeue(&queue);
    other = dequeue(&queue);
    assert(one + other == FIRST_ITEM + SECOND_ITEM && one != other);
    assert(is_empty(&queue));
    return 0;
}
