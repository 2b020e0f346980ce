#include "buffer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int buffer_init(buffer_t *buffer, size_t capacity)
{
    buffer->slots = calloc(capacity, sizeof(*buffer->slots));
    if (buffer->slots == NULL)
        return -1;
    buffer->capacity = capacity;
    buffer->head = 0;
    buffer->tail = 0;
    buffer->count = 0;
    memset(&buffer->stats, 0, sizeof(buffer->stats));
    pthread_mutex_init(&buffer->lock, NULL);
    pthread_cond_init(&buffer->not_empty, NULL);
    pthread_cond_init(&buffer->not_full, NULL);
    return 0;
}

static size_t next_index(const buffer_t *buffer, size_t index)
{
    index++;
    return index == buffer->capacity ? 0 : index;
}

/* The next two are called with the lock held. */
static void store(buffer_t *buffer, sample_t *sample)
{
    assert(buffer->count < buffer->capacity);
    buffer->slots[buffer->tail] = sample;
    buffer->tail = next_index(buffer, buffer->tail);
    buffer->count++;
    buffer->stats.puts++;
    if (buffer->count > buffer->stats.high_water)
        buffer->stats.high_water = buffer->count;
}

static sample_t *fetch(buffer_t *buffer)
{
    sample_t *sample;

    assert(buffer->count > 0);
    sample = buffer->slots[buffer->head];
    buffer->slots[buffer->head] = NULL;
    buffer->head = next_index(buffer, buffer->head);
    buffer->count--;
    buffer->stats.gets++;
    return sample;
}

void buffer_destroy(buffer_t *buffer)
{
    while (buffer->count > 0)
        sample_free(fetch(buffer));
    free(buffer->slots);
    buffer->slots = NULL;
    pthread_cond_destroy(&buffer->not_full);
    pthread_cond_destroy(&buffer->not_empty);
    pthread_mutex_destroy(&buffer->lock);
}

void buffer_put(buffer_t *buffer, sample_t *sample)
{
    pthread_mutex_lock(&buffer->lock);
    while (buffer->count == buffer->capacity)
        pthread_cond_wait(&buffer->not_full, &buffer->lock);
    store(buffer, sample);
    pthread_cond_signal(&buffer->not_empty);
    pthread_mutex_unlock(&buffer->lock);
}

int buffer_try_put(buffer_t *buffer, sample_t *sample)
{
    int rc = -1;

    pthread_mutex_lock(&buffer->lock);
    if (buffer->count < buffer->capacity) {
        store(buffer, sample);
        pthread_cond_signal(&buffer->not_empty);
        rc = 0;
    }
    pthread_mutex_unlock(&buffer->lock);
    return rc;
}

sample_t *buffer_get(buffer_t *buffer)
{
    sample_t *sample;

    pthread_mutex_lock(&buffer->lock);
    if (buffer->count == 0)
        pthread_cond_wait(&buffer->not_empty, &buffer->lock);
    sample = fetch(buffer);
    pthread_cond_signal(&buffer->not_full);
    pthread_mutex_unlock(&buffer->lock);
    return sample;
}

sample_t *buffer_try_get(buffer_t *buffer)
{
    sample_t *sample = NULL;

    pthread_mutex_lock(&buffer->lock);
    if (buffer->count > 0) {
        sample = fetch(buffer);
        pthread_cond_signal(&buffer->not_full);
    }
    pthread_mutex_unlock(&buffer->lock);
    return sample;
}

size_t buffer_count(buffer_t *buffer)
{
    size_t count;

    pthread_mutex_lock(&buffer->lock);
    count = buffer->count;
    pthread_mutex_unlock(&buffer->lock);
    return count;
}

buffer_stats_t buffer_stats(buffer_t *buffer)
{
    buffer_stats_t copy;

    pthread_mutex_lock(&buffer->lock);
    copy = buffer->stats;
    pthread_mutex_unlock(&buffer->lock);
    return copy;
}
