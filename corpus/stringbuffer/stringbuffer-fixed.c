// append() holds the source's lock from asking for its length until its characters are copied. Only append() takes
// two locks, and only ever from `journal` to `line`.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define CAPACITY 8

struct string_buffer {
    pthread_mutex_t lock;
    int count;
    char value[CAPACITY];
};

static struct string_buffer line = {PTHREAD_MUTEX_INITIALIZER, 4, "warp"};
static struct string_buffer journal = {PTHREAD_MUTEX_INITIALIZER, 2, "> "};

static void get_chars(struct string_buffer *sb, int src_end, char *to)
{
    assert(src_end <= sb->count);
    for (int i = 0; i < src_end; i++)
        to[i] = sb->value[i];
}

static void append(struct string_buffer *to, struct string_buffer *from)
{
    pthread_mutex_lock(&to->lock);
    pthread_mutex_lock(&from->lock);
    int len = from->count;
    assert(to->count + len <= CAPACITY);
    get_chars(from, len, to->value + to->count);
    pthread_mutex_unlock(&from->lock);
    to->count += len;
    pthread_mutex_unlock(&to->lock);
}

static void erase(struct string_buffer *sb, int start)
{
    pthread_mutex_lock(&sb->lock);
    if (start < sb->count)
        sb->count = start;
    pthread_mutex_unlock(&sb->lock);
}

static void *editor(void *arg)
{
    (void)arg;
    erase(&line, 1);
    return NULL;
}

int main(void)
{
    pthread_t other;

    pthread_create(&other, NULL, editor, NULL);
    append(&journal, &line);
    pthread_join(other, NULL);
    return 0;
}
