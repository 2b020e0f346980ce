// An asynchronous logger with two buffers: threads append to the active one, a flusher swaps them and writes the
// other out. An append picks its buffer under the lock.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define CLIENTS 2
#define BUFFER 64

enum level { DEBUG, INFO, ERROR };

struct buffer {
    char text[BUFFER];
    size_t length;
    int lines;
};

struct logger {
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct buffer buffers[2];
    struct buffer *active;
    enum level threshold;
    bool closing;
    int written_lines;
    size_t written_bytes;
};

static struct logger logger = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .more = PTHREAD_COND_INITIALIZER,
    .active = &logger.buffers[0],
    .threshold = INFO,
};

static void log_message(struct logger *l, enum level level, const char *who, int code)
{
    char line[24];

    if (level < l->threshold)
        return;
    int length = snprintf(line, sizeof line, "%s %d\n", who, code);

    pthread_mutex_lock(&l->lock);
    struct buffer *b = l->active;
    assert(b->length + (size_t)length <= BUFFER);
    memcpy(b->text + b->length, line, (size_t)length);
    b->length += (size_t)length;
    b->lines++;
    pthread_cond_signal(&l->more);
    pthread_mutex_unlock(&l->lock);
}

static struct buffer *swap_buffers(struct logger *l)
{
    struct buffer *full = l->active;

    l->active = full == &l->buffers[0] ? &l->buffers[1] : &l->buffers[0];
    return full;
}

static void write_out(struct logger *l, struct buffer *b)
{
    for (size_t i = 0; i < b->length; i++)
        if (b->text[i] == '\n')
            l->written_lines++;
    l->written_bytes += b->length;
    b->length = 0;
    b->lines = 0;
}

static void *flusher(void *arg)
{
    struct logger *l = arg;
    bool closing;

    do {
        pthread_mutex_lock(&l->lock);
        while (l->active->lines == 0 && !l->closing)
            pthread_cond_wait(&l->more, &l->lock);
        closing = l->closing;
        write_out(l, swap_buffers(l));
        pthread_mutex_unlock(&l->lock);
    } while (!closing);
    return NULL;
}

static void *client(void *arg)
{
    const char *name = arg;

    log_message(&logger, DEBUG, name, 1);
    log_message(&logger, ERROR, name, 200);
    return NULL;
}

int main(void)
{
    static char *names[CLIENTS] = {"mail", "web"};
    pthread_t clients[CLIENTS], thread;

    pthread_create(&thread, NULL, flusher, &logger);
    for (int i = 0; i < CLIENTS; i++)
        pthread_create(&clients[i], NULL, client, names[i]);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(clients[i], NULL);
    pthread_mutex_lock(&logger.lock);
    logger.closing = true;
    pthread_cond_signal(&logger.more);
    pthread_mutex_unlock(&logger.lock);
    pthread_join(thread, NULL);
    assert(logger.written_lines == CLIENTS && logger.written_bytes == 17);
    return 0;
}
