// One thread tests that a key is in the table and reads its value under the table's lock, which the one that removes
// keys takes, too.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { SLOTS = 3, COLOUR = 5, SIZE = 8, MISSING = -1 };

struct entry {
    int key;
    int value;
    int used;
};

struct table {
    struct entry entries[SLOTS];
    int count;
};

static struct table table;
static int read_value = MISSING;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int slot_of(const struct table *table, int key) {
    for (int i = 0; i < SLOTS; i++) {
        if (table->entries[i].used && table->entries[i].key == key) {
            return i;
        }
    }
    return MISSING;
}

static int contains(const struct table *table, int key) {
    return slot_of(table, key) != MISSING;
}

static void insert(struct table *table, int key, int value) {
    struct entry *entry = &table->entries[table->count];

    entry->key = key;
    entry->value = value;
    entry->used = 1;
    table->count++;
}

static void remove_key(struct table *table, int key) {
    int slot = slot_of(table, key);

    if (slot == MISSING) {
        return;
    }
    table->entries[slot].used = 0;
    table->count--;
}

static int lookup(const struct table *table, int key) {
    int slot = slot_of(table, key);

    assert(slot != MISSING);
    return table->entries[slot].value;
}

static void *use(void *argument) {
    (void)argument;
    pthread_mutex_lock(&lock);
    if (contains(&table, SIZE)) {
        read_value = lookup(&table, SIZE);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *drop(void *argument) {
    (void)argument;
    pthread_mutex_lock(&lock);
    remove_key(&table, SIZE);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t user, dropper;

    insert(&table, COLOUR, 3);
    insert(&table, SIZE, 40);
    assert(table.count == 2);

    pthread_create(&user, NULL, use, NULL);
    pthread_create(&dropper, NULL, drop, NULL);
    pthread_join(user, NULL);
    pthread_join(dropper, NULL);

    assert(table.count == 1);
    assert(contains(&table, COLOUR) && !contains(&table, SIZE));
    assert(read_value == 40 || read_value == MISSING);
    return 0;
}
