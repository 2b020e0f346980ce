// A statement looks a table up and then reads a row of it, and both must meet the table in the same generation.
// Another thread closes and reopens the table in between, and the statement uses what was closed.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum {
    TABLES = 2,
    ROWS = 2,
    NOT_FOUND = -1,
    ORDERS = 11,
    CUSTOMERS = 12
};

struct table {
    int name;
    int generation;
    int is_open;
    int rows[ROWS];
};

struct handle {
    struct table *table;
    int generation;
};

struct statement {
    int name;
    int row;
    int answer;
};

static struct table tables[TABLES];
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;

/* Files. */

static int stored_row(int name, int row) {
    return name * 10 + row;
}

static void read_rows(struct table *table) {
    for (int i = 0; i < ROWS; i++) {
        table->rows[i] = stored_row(table->name, i);
    }
}

/* Tables. */

static void open_table(struct table *table, int name) {
    table->name = name;
    read_rows(table);
    table->is_open = 1;
    table->generation = 1;
}

static void close_table(struct table *table) {
    table->is_open = 0;
}

/* A new generation: who knows the old one has to look it up again. */
static void reopen_table(struct table *table) {
    close_table(table);
    table->generation++;
    table->is_open = 1;
}

static int index_of(int name) {
    for (int i = 0; i < TABLES; i++) {
        if (tables[i].name == name) {
            return i;
        }
    }
    return NOT_FOUND;
}

static struct handle look_up(int name) {
    struct handle handle = {NULL, 0};
    int index = index_of(name);

    if (index == NOT_FOUND) {
        return handle;
    }
    handle.table = &tables[index];
    handle.generation = tables[index].generation;
    return handle;
}

static int fetch(struct handle handle, int row) {
    assert(handle.table->generation == handle.generation);
    return handle.table->rows[row];
}

/* Statements. */

static void execute(struct statement *statement) {
    struct handle handle;

    pthread_mutex_lock(&open_lock);
    handle = look_up(statement->name);
    pthread_mutex_unlock(&open_lock);
    if (handle.table == NULL) {
        statement->answer = NOT_FOUND;
        return;
    }

    pthread_mutex_lock(&open_lock);
    statement->answer = fetch(handle, statement->row);
    pthread_mutex_unlock(&open_lock);
}

static void flush_table(int name) {
    int index;

    pthread_mutex_lock(&open_lock);
    index = index_of(name);
    if (index != NOT_FOUND) {
        reopen_table(&tables[index]);
    }
    pthread_mutex_unlock(&open_lock);
}

static void *select_row(void *argument) {
    execute(argument);
    return NULL;
}

static void *flush(void *argument) {
    (void)argument;
    flush_table(CUSTOMERS);
    return NULL;
}

int main(void) {
    struct statement statement = {CUSTOMERS, 1, 0};
    pthread_t client, administrator;

    open_table(&tables[0], ORDERS);
    open_table(&tables[1], CUSTOMERS);
    pthread_create(&client, NULL, select_row, &statement);
    pthread_create(&administrator, NULL, flush, NULL);
    pthread_join(client, NULL);
    pthread_join(administrator, NULL);

    assert(statement.answer == stored_row(CUSTOMERS, 1));
    return 0;
}
