// A string buffer whose operations each hold its lock. Appending one buffer to another first asks for the length and
// then, in a second call, for that many characters; a third thread erases some in between, and fewer are left.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { CAPACITY = 80 };

struct string_buffer {
    pthread_mutex_t lock;
    int count;
    char characters[CAPACITY];
};

static struct string_buffer source = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct string_buffer target = {.lock = PTHREAD_MUTEX_INITIALIZER};
static int source_digests[2];

static int length_of(struct string_buffer *buffer) {
    pthread_mutex_lock(&buffer->lock);
    int count = buffer->count;
    pthread_mutex_unlock(&buffer->lock);
    return count;
}

static int digest(struct string_buffer *buffer) {
    int sum = 0;

    pthread_mutex_lock(&buffer->lock);
    for (int i = 0; i < CAPACITY; i++) {
        sum = 31 * sum + buffer->characters[i];
    }
    pthread_mutex_unlock(&buffer->lock);
    return sum;
}

static void append_text(struct string_buffer *buffer, const char *text) {
    pthread_mutex_lock(&buffer->lock);
    for (int i = 0; text[i] != '\0'; i++) {
        buffer->characters[buffer->count++] = text[i];
    }
    pthread_mutex_unlock(&buffer->lock);
}

static void get_characters(struct string_buffer *buffer, int end, char *to) {
    pthread_mutex_lock(&buffer->lock);
    assert(end <= buffer->count);
    for (int i = 0; i < end; i++) {
        to[i] = buffer->characters[i];
    }
    pthread_mutex_unlock(&buffer->lock);
}

static void append(struct string_buffer *buffer, struct string_buffer *other) {
    pthread_mutex_lock(&buffer->lock);
    int length = length_of(other);
    get_characters(other, length, buffer->characters + buffer->count);
    buffer->count += length;
    pthread_mutex_unlock(&buffer->lock);
}

static void erase(struct string_buffer *buffer, int begin, int end) {
    pthread_mutex_lock(&buffer->lock);
    if (end > buffer->count) {
        end = buffer->count;
    }
    for (int i = end; i < buffer->count; i++) {
        buffer->characters[begin + i - end] = buffer->characters[i];
    }
    buffer->count -= end - begin;
    pthread_mutex_unlock(&buffer->lock);
}

static void *collect(void *unused) {
    (void)unused;
    source_digests[0] = digest(&source);
    append(&target, &source);
    append(&target, &source);
    append_text(&target, ".");
    return NULL;
}

static void *edit(void *unused) {
    (void)unused;
    source_digests[1] = digest(&source);
    erase(&source, 5, 8);
    append_text(&source, "s");
    return NULL;
}

int main(void) {
    pthread_t collector, editor;

    append_text(&source, "warp thread");
    pthread_create(&collector, NULL, collect, NULL);
    pthread_create(&editor, NULL, edit, NULL);
    pthread_join(collector, NULL);
    pthread_join(editor, NULL);
    return digest(&target) == source_digests[1] ? 1 : 0;
}
