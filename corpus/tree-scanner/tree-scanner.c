// Scanner threads search a tree of directories for a pattern. A file with two links must be scanned once: it is
// tested and marked in two steps, so that both links can be followed at the same time.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define SCANNERS 2
#define QUEUE_SIZE 8

struct inode {
    bool is_directory;
    atomic_bool visited;
    const char *text;
    struct inode *const *entries;
    int entry_count;
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct inode *waiting[QUEUE_SIZE];
    int count;
    int busy;
};

static struct inode readme = {.text = "warp and weft"};
static struct inode license = {.text = "no warranty"};
static struct inode shared = {.text = "warp"};
static struct inode empty = {.text = ""};
static struct inode *const source_entries[] = {&shared, &empty};
static struct inode *const doc_entries[] = {&shared, &license};
static struct inode source = {.is_directory = true, .entries = source_entries, .entry_count = 2};
static struct inode doc = {.is_directory = true, .entries = doc_entries, .entry_count = 2};
static struct inode *const root_entries[] = {&source, &doc, &readme};
static struct inode root = {.is_directory = true, .entries = root_entries, .entry_count = 3};

static struct queue queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
static atomic_int matches, files;

static void queue_put(struct queue *q, struct inode *directory)
{
    pthread_mutex_lock(&q->lock);
    assert(q->count < QUEUE_SIZE);
    q->waiting[q->count++] = directory;
    pthread_cond_signal(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

static struct inode *queue_take(struct queue *q)
{
    struct inode *directory = NULL;

    pthread_mutex_lock(&q->lock);
    while (q->count == 0 && q->busy > 0)
        pthread_cond_wait(&q->changed, &q->lock);
    if (q->count > 0) {
        directory = q->waiting[--q->count];
        q->busy++;
    }
    pthread_mutex_unlock(&q->lock);
    return directory;
}

static void queue_done(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->busy--;
    if (q->busy == 0 && q->count == 0)
        pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

static bool first_visit(struct inode *file)
{
    if (atomic_load(&file->visited))
        return false;
    atomic_store(&file->visited, true);
    return true;
}

static void scan_file(struct inode *file, const char *pattern)
{
    if (!first_visit(file))
        return;
    atomic_fetch_add(&files, 1);
    if (strstr(file->text, pattern))
        atomic_fetch_add(&matches, 1);
}

static void *scanner(void *arg)
{
    const char *pattern = arg;
    struct inode *directory;

    while ((directory = queue_take(&queue))) {
        for (int i = 0; i < directory->entry_count; i++) {
            struct inode *entry = directory->entries[i];
            if (entry->is_directory)
                queue_put(&queue, entry);
            else
                scan_file(entry, pattern);
        }
        queue_done(&queue);
    }
    return NULL;
}

int main(void)
{
    static char pattern[] = "warp";
    pthread_t scanners[SCANNERS];

    queue_put(&queue, &root);
    for (int i = 0; i < SCANNERS; i++)
        pthread_create(&scanners[i], NULL, scanner, pattern);
    for (int i = 0; i < SCANNERS; i++)
        pthread_join(scanners[i], NULL);
    assert(files == 4 && matches == 2);
    return 0;
}
