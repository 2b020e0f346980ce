#ifndef BUFFER_H
#define BUFFER_H

#include "sample.h"

typedef struct {
    unsigned long puts;
    unsigned long gets;
    size_t high_water;
} buffer_stats_t;

/* A bounded buffer of samples between producers and consumers. */
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t not_empty;
    pthread_cond_t not_full;
    sample_t **slots;
    size_t capacity;
    size_t head;
    size_t tail;
    size_t count;
    buffer_stats_t stats;
} buffer_t;

int buffer_init(buffer_t *buffer, size_t capacity);
void buffer_destroy(buffer_t *buffer);

/* Blocks while the buffer is full.  The buffer takes over the sample. */
void buffer_put(buffer_t *buffer, sample_t *sample);
int buffer_try_put(buffer_t *buffer, sample_t *sample);

/* Blocks while the buffer is empty.  The caller frees the sample. */
sample_t *buffer_get(buffer_t *buffer);
sample_t *buffer_try_get(buffer_t *buffer);

size_t buffer_count(buffer_t *buffer);
buffer_stats_t buffer_stats(buffer_t *buffer);

#endif
