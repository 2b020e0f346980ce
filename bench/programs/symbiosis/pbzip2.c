// A parallel block compressor: a reader fills a queue with blocks, workers compress them, a writer puts them out in
// order. Main waits for the writer only, and destroys the queue while a worker may still look at it.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#ifndef BLOCKS
#define BLOCKS 6
#endif
enum { WORKERS = 6, ROOM = 4, LENGTH = 12 };

struct queue {
    pthread_mutex_t *mut;
    pthread_cond_t *not_full, *not_empty;
    int blocks[ROOM];
    int head, tail, full, empty;
};

static pthread_mutex_t output_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t written = PTHREAD_COND_INITIALIZER;
static struct queue *fifo;
static int all_read, next_block, bytes_in, bytes_out;
static int lengths[BLOCKS];

static struct queue *make_queue(void) {
    struct queue *queue = calloc(1, sizeof *queue);
    queue->mut = malloc(sizeof *queue->mut);
    queue->not_full = malloc(sizeof *queue->not_full);
    queue->not_empty = malloc(sizeof *queue->not_empty);
    pthread_mutex_init(queue->mut, NULL);
    pthread_cond_init(queue->not_full, NULL);
    pthread_cond_init(queue->not_empty, NULL);
    queue->empty = 1;
    return queue;
}

static void destroy_queue(struct queue *queue) {
    queue->mut = NULL;
    queue->not_full = NULL;
    queue->not_empty = NULL;
}

static int compress(int block) {
    unsigned seed = (unsigned)block * 2654435761u;
    int runs = 0;
    unsigned last = 256;
    for (int i = 0; i < LENGTH; i++) {
        seed = seed * 1103515245u + 12345u;
        unsigned byte = seed >> 30;
        runs += byte != last;
        last = byte;
    }
    return 2 * runs;
}

static void *read_blocks(void *argument) {
    struct queue *queue = argument;
    for (int block = 0; block < BLOCKS; block++) {
        pthread_mutex_lock(queue->mut);
        while (queue->full) pthread_cond_wait(queue->not_full, queue->mut);
        queue->blocks[queue->tail] = block;
        queue->tail = (queue->tail + 1) % ROOM;
        queue->full = queue->tail == queue->head;
        queue->empty = 0;
        bytes_in += LENGTH;
        pthread_mutex_unlock(queue->mut);
        pthread_cond_signal(queue->not_empty);
    }
    pthread_mutex_lock(queue->mut);
    all_read = 1;
    pthread_mutex_unlock(queue->mut);
    pthread_cond_broadcast(queue->not_empty);
    return NULL;
}

static void *work(void *argument) {
    struct queue *queue = argument;
    for (;;) {
        pthread_mutex_t *mut = queue->mut;
        assert(mut != NULL);
        pthread_mutex_lock(mut);
        while (queue->empty && !all_read) pthread_cond_wait(queue->not_empty, mut);
        if (queue->empty) {
            pthread_mutex_unlock(mut);
            return NULL;
        }
        int block = queue->blocks[queue->head];
        queue->head = (queue->head + 1) % ROOM;
        queue->empty = queue->head == queue->tail;
        queue->full = 0;
        pthread_cond_signal(queue->not_full);
        pthread_mutex_unlock(mut);
        int length = compress(block);
        pthread_mutex_lock(&output_lock);
        lengths[block] = length;
        pthread_cond_signal(&written);
        pthread_mutex_unlock(&output_lock);
    }
}

static void *write_blocks(void *argument) {
    (void)argument;
    while (next_block < BLOCKS) {
        pthread_mutex_lock(&output_lock);
        while (lengths[next_block] == 0) pthread_cond_wait(&written, &output_lock);
        bytes_out += lengths[next_block];
        pthread_mutex_unlock(&output_lock);
        next_block++;
    }
    return NULL;
}

int main(void) {
    pthread_t reader, writer, workers[WORKERS];
    fifo = make_queue();
    pthread_create(&reader, NULL, read_blocks, fifo);
    for (int i = 0; i < WORKERS; i++) pthread_create(&workers[i], NULL, work, fifo);
    pthread_create(&writer, NULL, write_blocks, NULL);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
    destroy_queue(fifo);
    for (int i = 0; i < WORKERS; i++) pthread_join(workers[i], NULL);
    return 0;
}
