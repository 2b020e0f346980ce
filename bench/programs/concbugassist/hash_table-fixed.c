// A sequential hash table with chains, used by two threads. Each adds its entry under a lock, so that the second
// finds the first one's as the head.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum {
    BUCKETS = 2,
    POOL = 4,
    NOBODY = -1,
    FIRST_KEY = 3,
    SECOND_KEY = 5
};

struct node {
    int key;
    int value;
    int next;
};

struct hash_table {
    int heads[BUCKETS];
    int sizes[BUCKETS];
    struct node nodes[POOL];
};

struct client {
    pthread_t thread;
    int key;
    int value;
    int node;
};

static struct hash_table table;
static struct client clients[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The table. */

static int bucket_of(int key) {
    return key % BUCKETS;
}

static void init(struct hash_table *table) {
    for (int i = 0; i < BUCKETS; i++) {
        table->heads[i] = NOBODY;
        table->sizes[i] = 0;
    }
}

static int find(const struct hash_table *table, int key) {
    int at = table->heads[bucket_of(key)];

    for (int steps = 0; steps < POOL; steps++) {
        if (at == NOBODY || table->nodes[at].key == key) {
            return at;
        }
        at = table->nodes[at].next;
    }
    return NOBODY;
}

static int contains(const struct hash_table *table, int key) {
    return find(table, key) != NOBODY;
}

static int value_of(const struct hash_table *table, int key) {
    int at = find(table, key);

    return at == NOBODY ? NOBODY : table->nodes[at].value;
}

/* Adds an entry whose node the caller owns. Returns whether the key is new. */
static int add(struct hash_table *table, int node, int key, int value) {
    int bucket = bucket_of(key);

    if (contains(table, key)) {
        return 0;
    }
    table->nodes[node].key = key;
    table->nodes[node].value = value;
    table->nodes[node].next = table->heads[bucket];
    table->heads[bucket] = node;
    return 1;
}

static int chain_length(const struct hash_table *table, int bucket) {
    int length = 0;
    int at = table->heads[bucket];

    while (at != NOBODY && length < POOL) {
        at = table->nodes[at].next;
        length++;
    }
    return length;
}

static void measure(struct hash_table *table) {
    for (int i = 0; i < BUCKETS; i++) {
        table->sizes[i] = chain_length(table, i);
    }
}

static int size(const struct hash_table *table) {
    int sum = 0;

    for (int i = 0; i < BUCKETS; i++) {
        sum += table->sizes[i];
    }
    return sum;
}

/* The clients. */

static void *work(void *argument) {
    struct client *self = argument;

    pthread_mutex_lock(&lock);
    add(&table, self->node, self->key, self->value);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void start(struct client *client, int node, int key) {
    client->node = node;
    client->key = key;
    client->value = key * 10;
    pthread_create(&client->thread, NULL, work, client);
}

static void finish(struct client *client) {
    pthread_join(client->thread, NULL);
}

int main(void) {
    init(&table);
    start(&clients[0], 0, FIRST_KEY);
    start(&clients[1], 1, SECOND_KEY);
    finish(&clients[0]);
    finish(&clients[1]);

    assert(contains(&table, FIRST_KEY) && contains(&table, SECOND_KEY));
    assert(value_of(&table, FIRST_KEY) == FIRST_KEY * 10);
    assert(value_of(&table, SECOND_KEY) == SECOND_KEY * 10);
    measure(&table);
    assert(size(&table) == 2);
    return 0;
}
