// Three threads allocate from one table. Each looks for a slot that is not in use and marks it under
// the table's lock.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum {
    THREADS = 3,
    SLOTS = 3,
    FULL = -1
};

struct slot {
    int in_use;
    int owner;
};

struct table {
    struct slot slots[SLOTS];
    pthread_mutex_t lock;
};

struct task {
    pthread_t thread;
    int number;
    int slot;
};

static struct table table = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct task tasks[THREADS];

static int find_free(const struct table *table) {
    for (int i = 0; i < SLOTS; i++) {
        if (!table->slots[i].in_use) {
            return i;
        }
    }
    return FULL;
}

static void mark(struct table *table, int slot, int owner) {
    table->slots[slot].in_use = 1;
    table->slots[slot].owner = owner;
}

static int allocate(struct table *table, int owner) {
    int slot;

    pthread_mutex_lock(&table->lock);
    slot = find_free(table);
    if (slot != FULL) {
        mark(table, slot, owner);
    }
    pthread_mutex_unlock(&table->lock);
    return slot;
}

static void *run(void *argument) {
    struct task *self = argument;

    self->slot = allocate(&table, self->number);
    return NULL;
}

static void start(struct task *task, int number) {
    task->number = number;
    task->slot = FULL;
    pthread_create(&task->thread, NULL, run, task);
}

static int slots_are_distinct(void) {
    for (int i = 0; i < THREADS; i++) {
        for (int j = 0; j < i; j++) {
            if (tasks[i].slot == tasks[j].slot) {
                return 0;
            }
        }
    }
    return 1;
}

static int owners_are_right(void) {
    for (int i = 0; i < THREADS; i++) {
        if (table.slots[tasks[i].slot].owner != tasks[i].number) {
            return 0;
        }
    }
    return 1;
}

int main(void) {
    for (int i = 0; i < THREADS; i++) {
        start(&tasks[i], i + 1);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(tasks[i].thread, NULL);
    }

    assert(slots_are_distinct());
    assert(owners_are_right());
    return 0;
}
