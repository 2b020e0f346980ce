// A pool of connections with a borrower and a closer. Closing destroys the idle connections; a borrower that gives one
// back looks whether the pool is closed before it takes the lock, and puts the connection into a pool that was emptied
// meanwhile: it is never destroyed.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { CONNECTIONS = 4, ROUNDS = 3 };

struct connection {
    int queries;
    struct connection *next;
};

struct pool {
    pthread_mutex_t lock;
    struct connection *idle;
    int idle_count, active_count;
    int created, destroyed;
    int closed;
};

static struct connection connections[CONNECTIONS];
static struct pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void put_idle(struct pool *to, struct connection *connection) {
    connection->next = to->idle;
    to->idle = connection;
    to->idle_count++;
}

static struct connection *take_idle(struct pool *from) {
    struct connection *connection = from->idle;

    from->idle = connection->next;
    from->idle_count--;
    return connection;
}

static void fill(struct pool *to, int count) {
    for (int i = 0; i < count; i++) {
        put_idle(to, &connections[i]);
        to->created++;
    }
}

static struct connection *borrow(struct pool *from) {
    struct connection *connection = NULL;

    pthread_mutex_lock(&from->lock);
    if (from->idle != NULL) {
        connection = take_idle(from);
        from->active_count++;
    } else if (!from->closed && from->created < CONNECTIONS) {
        connection = &connections[from->created++];
        from->active_count++;
    }
    pthread_mutex_unlock(&from->lock);
    return connection;
}

static void give_back(struct pool *to, struct connection *connection) {
    int closed = to->closed;

    pthread_mutex_lock(&to->lock);
    to->active_count--;
    if (closed) {
        to->destroyed++;
    } else {
        put_idle(to, connection);
    }
    pthread_mutex_unlock(&to->lock);
}

static void close_pool(struct pool *which) {
    pthread_mutex_lock(&which->lock);
    which->closed = 1;
    while (which->idle != NULL) {
        take_idle(which);
        which->destroyed++;
    }
    pthread_mutex_unlock(&which->lock);
}

static void *serve(void *unused) {
    struct connection *first, *second;

    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        first = borrow(&pool);
        second = borrow(&pool);
        if (first != NULL) {
            first->queries++;
            give_back(&pool, first);
        }
        if (second != NULL) {
            second->queries++;
            give_back(&pool, second);
        }
    }
    return NULL;
}

static void *shut_down(void *unused) {
    (void)unused;
    close_pool(&pool);
    return NULL;
}

int main(void) {
    pthread_t server, closer;

    fill(&pool, CONNECTIONS - 1);
    pthread_create(&server, NULL, serve, NULL);
    pthread_create(&closer, NULL, shut_down, NULL);
    pthread_join(server, NULL);
    pthread_join(closer, NULL);
    assert(pool.destroyed == pool.created);
    return 0;
}
