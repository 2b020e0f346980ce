// A parallel block compressor. The main thread cuts its input into blocks and queues them, workers compress blocks, a
// writer puts them into the archive in their order. Afterwards the archive is unpacked and compared with the input.
//
// A block is compressed with matches found through hash chains, and a binary range coder with adaptive models.
//
//     block-compressor [SEED [BLOCKS [WORKERS]]]
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES (128 * 1024)
#define MAX_PACKED (BLOCK_BYTES + BLOCK_BYTES / 8 + 64)
#define QUEUE_BLOCKS 8
#define MAX_WORKERS 16

#define HASH_BITS 15
#define NOWHERE UINT32_MAX
#define MIN_MATCH 4
#define MAX_MATCH (MIN_MATCH + 255)
#define CHAIN_LENGTH 24
#define GOOD_MATCH 48

#define PROBABILITY_BITS 12
#define ADAPTATION 4

typedef uint16_t probability;

struct models {
    probability is_match[4];
    probability literal[256][256];
    probability length[256];
    probability distance_bits[4][32];
    probability low_bits[16];
};

struct encoder {
    uint32_t low;
    uint32_t high;
    unsigned char *out;
    size_t size;
};

struct decoder {
    uint32_t low;
    uint32_t high;
    uint32_t code;
    const unsigned char *in;
    size_t at;
    size_t size;
};

struct matcher {
    uint32_t head[1 << HASH_BITS];
    uint32_t previous[BLOCK_BYTES];
};

struct match {
    uint32_t length;
    uint32_t distance;
};

struct block {
    const unsigned char *plain;
    size_t plain_size;
    unsigned char *packed;
    size_t packed_size;
    bool done;
};

struct archive {
    pthread_mutex_t lock;
    pthread_cond_t queued;
    pthread_cond_t room;
    pthread_cond_t finished;
    struct block *blocks;
    unsigned count;
    // Blocks before `available` may be taken, those before `taken` are, those before `written` are in the archive.
    unsigned available;
    unsigned taken;
    unsigned written;
    unsigned char *bytes;
    size_t size;
};

static void *allocate(size_t size)
{
    void *memory = malloc(size);

    if (memory == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return memory;
}

static void reset_models(struct models *models)
{
    probability *all = (probability *)models;

    for (size_t i = 0; i < sizeof *models / sizeof *all; i++)
        all[i] = 1 << (PROBABILITY_BITS - 1);
}

// The range coder: the interval from low to high is split in proportion to the probability of a 1.

static inline uint32_t split(uint32_t low, uint32_t high, uint32_t p)
{
    return low + (uint32_t)(((uint64_t)(high - low) * p) >> PROBABILITY_BITS);
}

static inline void adapt(probability *p, unsigned bit)
{
    if (bit)
        *p += ((1 << PROBABILITY_BITS) - 32 - *p) >> ADAPTATION;
    else
        *p -= (*p - 32) >> ADAPTATION;
}

static inline void encode_bit(struct encoder *encoder, probability *p, unsigned bit)
{
    uint32_t middle = split(encoder->low, encoder->high, *p);

    if (bit)
        encoder->high = middle;
    else
        encoder->low = middle + 1;
    adapt(p, bit);
    while (((encoder->low ^ encoder->high) & 0xff000000u) == 0) {
        encoder->out[encoder->size++] = encoder->high >> 24;
        encoder->low <<= 8;
        encoder->high = encoder->high << 8 | 0xff;
    }
}

static inline unsigned decode_bit(struct decoder *decoder, probability *p)
{
    uint32_t middle = split(decoder->low, decoder->high, *p);
    unsigned bit = decoder->code <= middle;

    if (bit)
        decoder->high = middle;
    else
        decoder->low = middle + 1;
    adapt(p, bit);
    while (((decoder->low ^ decoder->high) & 0xff000000u) == 0) {
        decoder->low <<= 8;
        decoder->high = decoder->high << 8 | 0xff;
        decoder->code = decoder->code << 8 | (decoder->at < decoder->size ? decoder->in[decoder->at++] : 0);
    }
    return bit;
}

// The bits of a number, highest first, each with a model of its own for what came before it.
static void encode_tree(struct encoder *encoder, probability *tree, unsigned bits, unsigned value)
{
    unsigned node = 1;

    for (unsigned i = bits; i-- > 0;) {
        unsigned bit = value >> i & 1;

        encode_bit(encoder, &tree[node], bit);
        node = node << 1 | bit;
    }
}

static unsigned decode_tree(struct decoder *decoder, probability *tree, unsigned bits)
{
    unsigned node = 1;

    for (unsigned i = 0; i < bits; i++)
        node = node << 1 | decode_bit(decoder, &tree[node]);
    return node - (1u << bits);
}

// A distance: how many bits it has, then all below the highest; only the lowest four are worth a model.
static void encode_distance(struct encoder *encoder, struct models *models, struct match match)
{
    unsigned context = match.length - MIN_MATCH < 3 ? match.length - MIN_MATCH : 3;
    unsigned bits = 31 - __builtin_clz(match.distance);
    unsigned modelled = bits >= 4 ? 4 : 0;

    encode_tree(encoder, models->distance_bits[context], 5, bits);
    for (unsigned i = bits; i-- > modelled;) {
        probability even = 1 << (PROBABILITY_BITS - 1);

        encode_bit(encoder, &even, match.distance >> i & 1);
    }
    if (modelled > 0)
        encode_tree(encoder, models->low_bits, modelled, match.distance & 15);
}

static uint32_t decode_distance(struct decoder *decoder, struct models *models, uint32_t length)
{
    unsigned context = length - MIN_MATCH < 3 ? length - MIN_MATCH : 3;
    unsigned bits = decode_tree(decoder, models->distance_bits[context], 5);
    unsigned modelled = bits >= 4 ? 4 : 0;
    uint32_t distance = 1;

    for (unsigned i = bits; i-- > modelled;) {
        probability even = 1 << (PROBABILITY_BITS - 1);

        distance = distance << 1 | decode_bit(decoder, &even);
    }
    if (modelled > 0)
        distance = distance << modelled | decode_tree(decoder, models->low_bits, modelled);
    return distance;
}

static inline uint32_t hash(const unsigned char *at)
{
    uint32_t word;

    memcpy(&word, at, sizeof word);
    return word * 2654435761u >> (32 - HASH_BITS);
}

static void insert(struct matcher *matcher, const unsigned char *text, uint32_t at)
{
    uint32_t slot = hash(text + at);

    matcher->previous[at] = matcher->head[slot];
    matcher->head[slot] = at;
}

static struct match find_match(const struct matcher *matcher, const unsigned char *text, uint32_t at, uint32_t size)
{
    struct match best = {.length = MIN_MATCH - 1};
    uint32_t limit = size - at < MAX_MATCH ? size - at : MAX_MATCH;
    uint32_t candidate = matcher->head[hash(text + at)];

    for (int tries = CHAIN_LENGTH; tries > 0 && candidate != NOWHERE; tries--) {
        if (best.length < limit && text[candidate + best.length] == text[at + best.length]) {
            uint32_t length = 0;

            while (length < limit && text[candidate + length] == text[at + length])
                length++;
            if (length > best.length) {
                best.length = length;
                best.distance = at - candidate;
                if (length >= GOOD_MATCH)
                    break;
            }
        }
        candidate = matcher->previous[candidate];
    }
    return best;
}

// A match is put off by one byte if the next place has a longer one.
static size_t compress(struct matcher *matcher, struct models *models, const unsigned char *text, uint32_t size,
                       unsigned char *out)
{
    struct encoder encoder = {.high = UINT32_MAX, .out = out};
    unsigned recent = 0;
    uint32_t at = 0;

    reset_models(models);
    memset(matcher->head, 0xff, sizeof matcher->head);
    while (at < size) {
        struct match match = {0};

        if (size - at > MIN_MATCH) {
            match = find_match(matcher, text, at, size);
            insert(matcher, text, at);
            if (match.length >= MIN_MATCH && match.length < GOOD_MATCH && size - at - 1 > MIN_MATCH) {
                struct match next = find_match(matcher, text, at + 1, size);

                if (next.length > match.length + 1)
                    match.length = 0;
            }
        }
        if (match.length >= MIN_MATCH) {
            encode_bit(&encoder, &models->is_match[recent], 1);
            encode_tree(&encoder, models->length, 8, match.length - MIN_MATCH);
            encode_distance(&encoder, models, match);
            for (uint32_t i = at + 1; i < at + match.length && size - i > MIN_MATCH; i++)
                insert(matcher, text, i);
            at += match.length;
            recent = (recent << 1 | 1) & 3;
        } else {
            encode_bit(&encoder, &models->is_match[recent], 0);
            encode_tree(&encoder, models->literal[at > 0 ? text[at - 1] : 0], 8, text[at]);
            at++;
            recent = recent << 1 & 3;
        }
    }
    for (int i = 0; i < 4; i++) {
        encoder.out[encoder.size++] = encoder.low >> 24;
        encoder.low <<= 8;
    }
    return encoder.size;
}

static bool decompress(struct models *models, const unsigned char *in, size_t in_size, unsigned char *text, size_t size)
{
    struct decoder decoder = {.high = UINT32_MAX, .in = in, .size = in_size};
    unsigned recent = 0;
    size_t at = 0;

    reset_models(models);
    for (int i = 0; i < 4; i++)
        decoder.code = decoder.code << 8 | (decoder.at < in_size ? in[decoder.at++] : 0);
    while (at < size) {
        if (decode_bit(&decoder, &models->is_match[recent])) {
            uint32_t length = decode_tree(&decoder, models->length, 8) + MIN_MATCH;
            uint32_t distance = decode_distance(&decoder, models, length);

            if (distance > at || length > size - at)
                return false;
            for (uint32_t i = 0; i < length; i++, at++)
                text[at] = text[at - distance];
            recent = (recent << 1 | 1) & 3;
        } else {
            text[at] = decode_tree(&decoder, models->literal[at > 0 ? text[at - 1] : 0], 8);
            at++;
            recent = recent << 1 & 3;
        }
    }
    return true;
}

static struct block *take_block(struct archive *archive)
{
    struct block *block = NULL;

    pthread_mutex_lock(&archive->lock);
    while (archive->taken == archive->available && archive->available < archive->count)
        pthread_cond_wait(&archive->queued, &archive->lock);
    if (archive->taken < archive->available)
        block = &archive->blocks[archive->taken++];
    pthread_mutex_unlock(&archive->lock);
    return block;
}

static void *worker(void *argument)
{
    struct archive *archive = argument;
    struct matcher *matcher = allocate(sizeof *matcher);
    struct models *models = allocate(sizeof *models);
    struct block *block;

    while ((block = take_block(archive)) != NULL) {
        unsigned char *packed = allocate(MAX_PACKED);
        size_t size = compress(matcher, models, block->plain, block->plain_size, packed);

        pthread_mutex_lock(&archive->lock);
        block->packed = packed;
        block->packed_size = size;
        block->done = true;
        pthread_cond_signal(&archive->finished);
        pthread_mutex_unlock(&archive->lock);
    }
    free(matcher);
    free(models);
    return NULL;
}

static void *writer(void *argument)
{
    struct archive *archive = argument;

    for (unsigned i = 0; i < archive->count; i++) {
        struct block *block = &archive->blocks[i];

        pthread_mutex_lock(&archive->lock);
        while (!block->done)
            pthread_cond_wait(&archive->finished, &archive->lock);
        archive->written++;
        pthread_cond_signal(&archive->room);
        pthread_mutex_unlock(&archive->lock);
        memcpy(archive->bytes + archive->size, block->packed, block->packed_size);
        archive->size += block->packed_size;
        free(block->packed);
    }
    return NULL;
}

// At most so many blocks are in memory between the reader and the archive.
static void queue_block(struct archive *archive, const unsigned char *plain, size_t size)
{
    pthread_mutex_lock(&archive->lock);
    while (archive->available - archive->written >= QUEUE_BLOCKS)
        pthread_cond_wait(&archive->room, &archive->lock);
    archive->blocks[archive->available].plain = plain;
    archive->blocks[archive->available].plain_size = size;
    archive->available++;
    pthread_cond_broadcast(&archive->queued);
    pthread_mutex_unlock(&archive->lock);
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

// Something between text and tables: words, numbers that grow slowly, and pieces of what was there before.
static void generate(unsigned char *text, size_t size, uint64_t seed)
{
    static const char *const words[] = {"record ", "value=",  "count: ", "\tname ", "begin\n", "end\n",
                                        "field ",  "length ", "offset ", "0x",      "table ",  "; "};
    size_t at = 0;
    uint32_t number = 1;

    while (at < size) {
        uint64_t choice = next_random(&seed);
        unsigned char piece[64];
        size_t length;

        if (choice % 8 < 4) {
            const char *word = words[(choice >> 8) % (sizeof words / sizeof words[0])];

            length = strlen(word);
            memcpy(piece, word, length);
        } else if (choice % 8 < 6) {
            number += (choice >> 8) % 1000;
            length = snprintf((char *)piece, sizeof piece, "%u ", (unsigned)number);
        } else if (choice % 8 == 6 && at > 4096) {
            length = 8 + (choice >> 8) % 40;
            memcpy(piece, text + at - 64 - (choice >> 16) % 4000, length);
        } else {
            length = sizeof choice;
            memcpy(piece, &choice, length);
        }
        if (length > size - at)
            length = size - at;
        memcpy(text + at, piece, length);
        at += length;
    }
}

static bool check(const struct archive *archive, const unsigned char *text)
{
    struct models *models = allocate(sizeof *models);
    unsigned char *unpacked = allocate(BLOCK_BYTES);
    const unsigned char *packed = archive->bytes;
    bool same = true;

    for (unsigned i = 0; i < archive->count && same; i++) {
        const struct block *block = &archive->blocks[i];

        same = decompress(models, packed, block->packed_size, unpacked, block->plain_size) &&
               memcmp(unpacked, text + (size_t)i * BLOCK_BYTES, block->plain_size) == 0;
        packed += block->packed_size;
    }
    free(unpacked);
    free(models);
    return same;
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    unsigned count = argc > 2 ? strtoul(argv[2], NULL, 10) : 96;
    unsigned workers = argc > 3 ? strtoul(argv[3], NULL, 10) : 2;
    struct archive archive = {.lock = PTHREAD_MUTEX_INITIALIZER,
                              .queued = PTHREAD_COND_INITIALIZER,
                              .room = PTHREAD_COND_INITIALIZER,
                              .finished = PTHREAD_COND_INITIALIZER};
    pthread_t threads[MAX_WORKERS], writing;
    unsigned char *text;
    // The last block is shorter than the others.
    size_t size = (size_t)count * BLOCK_BYTES - BLOCK_BYTES / 3;
    bool right;

    if (count == 0 || workers == 0 || workers > MAX_WORKERS) {
        fprintf(stderr, "usage: block-compressor [SEED [BLOCKS [WORKERS]]]\n");
        return 2;
    }
    text = allocate(size);
    generate(text, size, seed);
    archive.count = count;
    archive.blocks = calloc(count, sizeof *archive.blocks);
    archive.bytes = allocate((size_t)count * MAX_PACKED);
    if (archive.blocks == NULL)
        return 2;

    for (unsigned i = 0; i < workers; i++) {
        if (pthread_create(&threads[i], NULL, worker, &archive) != 0)
            return 2;
    }
    if (pthread_create(&writing, NULL, writer, &archive) != 0)
        return 2;
    for (size_t at = 0; at < size; at += BLOCK_BYTES)
        queue_block(&archive, text + at, size - at < BLOCK_BYTES ? size - at : BLOCK_BYTES);
    for (unsigned i = 0; i < workers; i++)
        pthread_join(threads[i], NULL);
    pthread_join(writing, NULL);

    right = check(&archive, text);
    printf("%zu bytes in %u blocks became %zu: %s\n", size, count, archive.size, right ? "and back" : "broken");
    free(archive.blocks);
    free(archive.bytes);
    free(text);
    return right ? 0 : 1;
}
