// The server starts its parts one after the other while a connection is already accepted. The request waits until the
// server says that it has started.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { OK = 200, POOL = 2 };

struct handler {
    int status;
    int requests;
};

struct server {
    struct handler *handler;
    int threads;
    int started;
    pthread_mutex_t lock;
    pthread_cond_t start;
};

static struct handler pages;
static struct server server = {.lock = PTHREAD_MUTEX_INITIALIZER, .start = PTHREAD_COND_INITIALIZER};
static int answered;

static struct handler *make_handler(void) {
    pages.status = OK;
    pages.requests = 0;
    return &pages;
}

static int handle(struct handler *handler) {
    handler->requests++;
    return handler->status;
}

static void *start(void *argument) {
    struct server *server = argument;

    server->threads = POOL;
    pthread_mutex_lock(&server->lock);
    server->handler = make_handler();
    server->started = 1;
    pthread_cond_signal(&server->start);
    pthread_mutex_unlock(&server->lock);
    return NULL;
}

static void *accept_request(void *argument) {
    struct server *server = argument;
    struct handler *handler;

    pthread_mutex_lock(&server->lock);
    while (!server->started) {
        pthread_cond_wait(&server->start, &server->lock);
    }
    pthread_mutex_unlock(&server->lock);
    handler = server->handler;
    assert(handler != NULL);
    answered = handle(handler);
    return NULL;
}

int main(void) {
    pthread_t starting, connection;

    pthread_create(&starting, NULL, start, &server);
    pthread_create(&connection, NULL, accept_request, &server);
    pthread_join(starting, NULL);
    pthread_join(connection, NULL);

    assert(server.started && server.threads == POOL);
    assert(answered == OK);
    assert(pages.requests == 1);
    return 0;
}
