// A parallel scanner of text: counts the lines that contain each of several words. The main thread walks over the files,
// cuts them into blocks at ends of lines and queues them; workers take blocks and search them. The files are generated,
// and the generator knows how many lines should be found.
//
//     file-scanner [SEED [FILES [WORKERS]]]
//     file-scanner --read WORD FILE...            reads these files and says how many lines contain the word
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES (512 * 1024)
#define BLOCK_BYTES (64 * 1024)
#define QUEUE_BLOCKS 64
#define MAX_WORKERS 16
#define MAX_PATTERNS 32
#define LINE_WORDS 12

struct pattern {
    const char *text;
    size_t length;
    // How far the window may move when its last byte is this one.
    size_t shift[256];
};

struct file {
    char *text;
    size_t size;
};

struct block {
    const char *text;
    size_t size;
    unsigned file;
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t not_empty;
    pthread_cond_t not_full;
    struct block blocks[QUEUE_BLOCKS];
    unsigned first;
    unsigned count;
    bool closed;
};

struct totals {
    pthread_mutex_t lock;
    uint64_t bytes;
    uint64_t blocks;
    uint64_t lines[MAX_PATTERNS];
    uint64_t *lines_in_file;
};

struct scan {
    struct queue queue;
    struct totals totals;
    struct pattern patterns[MAX_PATTERNS];
    unsigned pattern_count;
};

static const char *const searched[] = {
    "segmentation", "overflow", "deadlock", "corrupted", "unreachable", "timeout", "permission", "exhausted",
    "truncated",    "invalid",  "refused",  "panicked",  "underflow",   "aborted", "checksum",   "duplicate",
};

static const char *const filler[] = {
    "the",    "a",       "server", "request", "of",      "and",    "file",   "in",    "to",       "with",   "worker",
    "queue",  "opened",  "closed", "at",      "address", "buffer", "length", "client", "response", "header", "body",
    "cache",  "entry",   "found",  "missing", "written", "read",   "bytes",  "after", "before",   "while",  "started",
    "stopped", "module", "loaded", "version", "port",    "socket", "accept", "thread", "pool",     "slot",   "index",
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void *allocate(size_t size)
{
    void *memory = malloc(size);

    if (memory == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return memory;
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static size_t append_word(char *text, size_t at, const char *word)
{
    size_t length = strlen(word);

    memcpy(text + at, word, length);
    return at + length;
}

// Lines of ordinary words; about one line in 40 has a word that is searched for. Counts those lines in `planted`.
static void generate_file(struct file *file, uint64_t *random, uint64_t *planted)
{
    size_t at = 0;

    file->text = allocate(FILE_BYTES);
    while (at < FILE_BYTES - 256) {
        uint64_t choice = next_random(random);
        unsigned words = 4 + choice % LINE_WORDS;
        unsigned special = words;

        if (choice >> 8 & 1 && choice >> 16 & 1 && (choice >> 24) % 10 == 0)
            special = (choice >> 32) % words;
        for (unsigned i = 0; i < words; i++) {
            uint64_t pick = next_random(random);

            if (i > 0)
                file->text[at++] = ' ';
            if (i == special) {
                at = append_word(file->text, at, searched[pick % COUNT(searched)]);
                planted[pick % COUNT(searched)]++;
            } else {
                at = append_word(file->text, at, filler[pick % COUNT(filler)]);
            }
        }
        file->text[at++] = '\n';
    }
    file->size = at;
}

static bool read_file(struct file *file, const char *path)
{
    struct stat status;
    int handle = open(path, O_RDONLY);
    size_t at = 0;

    if (handle < 0 || fstat(handle, &status) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return false;
    }
    file->size = status.st_size;
    file->text = allocate(file->size + 1);
    while (at < file->size) {
        ssize_t got = read(handle, file->text + at, file->size - at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        at += got;
    }
    file->size = at;
    close(handle);
    return true;
}

static void prepare_pattern(struct pattern *pattern, const char *text)
{
    pattern->text = text;
    pattern->length = strlen(text);
    for (size_t i = 0; i < 256; i++)
        pattern->shift[i] = pattern->length;
    for (size_t i = 0; i + 1 < pattern->length; i++)
        pattern->shift[(unsigned char)text[i]] = pattern->length - 1 - i;
}

// Horspool's search. Returns the place of the first occurrence, or null.
static const char *find(const struct pattern *pattern, const char *text, size_t size)
{
    size_t last = pattern->length - 1;
    size_t at = 0;

    while (at + last < size) {
        unsigned char end = text[at + last];

        if (end == (unsigned char)pattern->text[last] && memcmp(text + at, pattern->text, last) == 0)
            return text + at;
        at += pattern->shift[end];
    }
    return NULL;
}

static uint64_t count_lines(const struct pattern *pattern, const char *text, size_t size)
{
    const char *end = text + size;
    uint64_t lines = 0;

    while (text < end) {
        const char *found = find(pattern, text, end - text);

        if (found == NULL)
            break;
        lines++;
        text = memchr(found, '\n', end - found);
        if (text == NULL)
            break;
        text++;
    }
    return lines;
}

static void put_block(struct queue *queue, struct block block)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->count == QUEUE_BLOCKS)
        pthread_cond_wait(&queue->not_full, &queue->lock);
    queue->blocks[(queue->first + queue->count) % QUEUE_BLOCKS] = block;
    queue->count++;
    pthread_cond_signal(&queue->not_empty);
    pthread_mutex_unlock(&queue->lock);
}

static bool take_block(struct queue *queue, struct block *block)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->count == 0 && !queue->closed)
        pthread_cond_wait(&queue->not_empty, &queue->lock);
    if (queue->count == 0) {
        pthread_mutex_unlock(&queue->lock);
        return false;
    }
    *block = queue->blocks[queue->first];
    queue->first = (queue->first + 1) % QUEUE_BLOCKS;
    queue->count--;
    pthread_cond_signal(&queue->not_full);
    pthread_mutex_unlock(&queue->lock);
    return true;
}

static void close_queue(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->closed = true;
    pthread_cond_broadcast(&queue->not_empty);
    pthread_mutex_unlock(&queue->lock);
}

// Blocks end where a line ends, so that each line is in one block.
static void queue_file(struct queue *queue, const struct file *file, unsigned number)
{
    size_t at = 0;

    while (at < file->size) {
        size_t size = file->size - at;

        if (size > BLOCK_BYTES) {
            size = BLOCK_BYTES;
            while (at + size < file->size && file->text[at + size - 1] != '\n')
                size++;
        }
        put_block(queue, (struct block){.text = file->text + at, .size = size, .file = number});
        at += size;
    }
}

static void *worker(void *argument)
{
    struct scan *scan = argument;
    struct block block;

    while (take_block(&scan->queue, &block)) {
        uint64_t lines[MAX_PATTERNS];

        for (unsigned i = 0; i < scan->pattern_count; i++)
            lines[i] = count_lines(&scan->patterns[i], block.text, block.size);
        pthread_mutex_lock(&scan->totals.lock);
        scan->totals.bytes += block.size;
        scan->totals.blocks++;
        for (unsigned i = 0; i < scan->pattern_count; i++) {
            scan->totals.lines[i] += lines[i];
            scan->totals.lines_in_file[block.file] += lines[i];
        }
        pthread_mutex_unlock(&scan->totals.lock);
    }
    return NULL;
}

static struct scan *new_scan(unsigned files)
{
    struct scan *scan = allocate(sizeof *scan);

    memset(scan, 0, sizeof *scan);
    pthread_mutex_init(&scan->queue.lock, NULL);
    pthread_cond_init(&scan->queue.not_empty, NULL);
    pthread_cond_init(&scan->queue.not_full, NULL);
    pthread_mutex_init(&scan->totals.lock, NULL);
    scan->totals.lines_in_file = calloc(files, sizeof *scan->totals.lines_in_file);
    if (scan->totals.lines_in_file == NULL)
        exit(2);
    return scan;
}

static void scan_files(struct scan *scan, const struct file *files, unsigned count, unsigned workers)
{
    pthread_t threads[MAX_WORKERS];

    for (unsigned i = 0; i < workers; i++) {
        if (pthread_create(&threads[i], NULL, worker, scan) != 0) {
            fprintf(stderr, "cannot start a worker\n");
            exit(2);
        }
    }
    for (unsigned i = 0; i < count; i++)
        queue_file(&scan->queue, &files[i], i);
    close_queue(&scan->queue);
    for (unsigned i = 0; i < workers; i++)
        pthread_join(threads[i], NULL);
}

static int scan_generated(uint64_t seed, unsigned count, unsigned workers)
{
    struct scan *scan = new_scan(count);
    struct file *files = allocate(count * sizeof *files);
    uint64_t planted[COUNT(searched)] = {0};
    int status = 0;

    for (unsigned i = 0; i < count; i++)
        generate_file(&files[i], &seed, planted);
    scan->pattern_count = COUNT(searched);
    for (unsigned i = 0; i < scan->pattern_count; i++)
        prepare_pattern(&scan->patterns[i], searched[i]);
    scan_files(scan, files, count, workers);

    for (unsigned i = 0; i < scan->pattern_count; i++) {
        printf("%-12s %8llu\n", searched[i], (unsigned long long)scan->totals.lines[i]);
        if (scan->totals.lines[i] != planted[i]) {
            printf("should be %llu\n", (unsigned long long)planted[i]);
            status = 1;
        }
    }
    printf("%llu bytes in %llu blocks\n", (unsigned long long)scan->totals.bytes,
           (unsigned long long)scan->totals.blocks);
    for (unsigned i = 0; i < count; i++)
        free(files[i].text);
    free(files);
    free(scan->totals.lines_in_file);
    free(scan);
    return status;
}

static int scan_named(const char *word, char **paths, unsigned count)
{
    struct scan *scan = new_scan(count);
    struct file *files = allocate(count * sizeof *files);

    for (unsigned i = 0; i < count; i++) {
        if (!read_file(&files[i], paths[i]))
            return 2;
    }
    scan->pattern_count = 1;
    prepare_pattern(&scan->patterns[0], word);
    scan_files(scan, files, count, 2);
    for (unsigned i = 0; i < count; i++) {
        printf("%s: %llu\n", paths[i], (unsigned long long)scan->totals.lines_in_file[i]);
        free(files[i].text);
    }
    free(files);
    free(scan->totals.lines_in_file);
    free(scan);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 3 && strcmp(argv[1], "--read") == 0 && argv[2][0] != '\0')
        return scan_named(argv[2], argv + 3, argc - 3);

    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    unsigned files = argc > 2 ? strtoul(argv[2], NULL, 10) : 80;
    unsigned workers = argc > 3 ? strtoul(argv[3], NULL, 10) : 2;

    if (files == 0 || workers == 0 || workers > MAX_WORKERS) {
        fprintf(stderr, "usage: file-scanner [SEED [FILES [WORKERS]]] | --read WORD FILE...\n");
        return 2;
    }
    return scan_generated(seed, files, workers);
}
