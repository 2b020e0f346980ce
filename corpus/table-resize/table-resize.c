// A symbol table grows by moving to a larger array and freeing the old one. A lookup that has fetched the old array
// reads it after it was freed.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct table {
    pthread_mutex_t lock;
    int size;
    int *symbols;
};

static struct table table = {.lock = PTHREAD_MUTEX_INITIALIZER, .size = 2};
static int found;

static void grow(struct table *t)
{
    pthread_mutex_lock(&t->lock);
    int *larger = calloc(2 * (size_t)t->size, sizeof *larger);
    int *old = t->symbols;
    memcpy(larger, old, (size_t)t->size * sizeof *larger);
    t->symbols = larger;
    t->size *= 2;
    free(old);
    pthread_mutex_unlock(&t->lock);
}

static void *parser(void *arg)
{
    grow(arg);
    return NULL;
}

static void *lookup(void *arg)
{
    struct table *t = arg;

    int *symbols = t->symbols;
    found = symbols[1];
    return NULL;
}

int main(void)
{
    pthread_t writer, reader;

    table.symbols = calloc(2, sizeof *table.symbols);
    table.symbols[1] = 5;
    pthread_create(&writer, NULL, parser, &table);
    pthread_create(&reader, NULL, lookup, &table);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    free(table.symbols);
    return found != 5;
}
