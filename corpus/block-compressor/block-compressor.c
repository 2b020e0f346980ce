// A run-length compressor as a pipeline: main reads blocks into a ring of slots, a worker compresses them, a writer
// collects them in order. The writer gives a slot back before it has copied the block out of it.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define SLOTS 1
#define BLOCK 4
#define OUTPUT 32

enum state { FREE, FILLED, PACKED };

struct slot {
    enum state state;
    int length, packed_length;
    char data[BLOCK];
    char packed[2 * BLOCK];
};

struct pipeline {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct slot slots[SLOTS];
    int blocks;
};

static struct pipeline pipeline = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
static char output[OUTPUT];
static int output_length;

static struct slot *await(struct pipeline *p, int block, enum state wanted)
{
    struct slot *s = &p->slots[block % SLOTS];

    pthread_mutex_lock(&p->lock);
    while (s->state != wanted)
        pthread_cond_wait(&p->changed, &p->lock);
    pthread_mutex_unlock(&p->lock);
    return s;
}

static void advance(struct pipeline *p, struct slot *s, enum state next)
{
    pthread_mutex_lock(&p->lock);
    s->state = next;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

static int pack(const char *in, int length, char *out)
{
    int written = 0;

    for (int i = 0; i < length;) {
        int run = 1;
        while (i + run < length && in[i + run] == in[i])
            run++;
        out[written++] = (char)('0' + run);
        out[written++] = in[i];
        i += run;
    }
    return written;
}

static void *compress(void *arg)
{
    struct pipeline *p = arg;

    for (int block = 0; block < p->blocks; block++) {
        struct slot *s = await(p, block, FILLED);
        s->packed_length = pack(s->data, s->length, s->packed);
        advance(p, s, PACKED);
    }
    return NULL;
}

static void *write_out(void *arg)
{
    struct pipeline *p = arg;

    for (int block = 0; block < p->blocks; block++) {
        struct slot *s = await(p, block, PACKED);
        advance(p, s, FREE);
        for (int i = 0; i < s->packed_length; i++)
            output[output_length++] = s->packed[i];
    }
    return NULL;
}

static void read_in(struct pipeline *p, const char *text)
{
    int length = (int)strlen(text);

    for (int block = 0; block < p->blocks; block++) {
        struct slot *s = await(p, block, FREE);
        int from = block * BLOCK;
        s->length = length - from < BLOCK ? length - from : BLOCK;
        for (int i = 0; i < s->length; i++)
            s->data[i] = text[from + i];
        advance(p, s, FILLED);
    }
}

static int unpack(const char *in, int length, char *out)
{
    int written = 0;

    for (int i = 0; i + 1 < length; i += 2)
        for (int run = in[i] - '0'; run > 0; run--)
            out[written++] = in[i + 1];
    return written;
}

int main(void)
{
    static const char text[] = "aabbcccc";
    char restored[2 * OUTPUT];
    pthread_t worker, writer;

    pipeline.blocks = ((int)strlen(text) + BLOCK - 1) / BLOCK;
    pthread_create(&worker, NULL, compress, &pipeline);
    pthread_create(&writer, NULL, write_out, &pipeline);
    read_in(&pipeline, text);
    pthread_join(worker, NULL);
    pthread_join(writer, NULL);
    int length = unpack(output, output_length, restored);
    assert(length == (int)strlen(text) && memcmp(restored, text, (size_t)length) == 0);
    return 0;
}
