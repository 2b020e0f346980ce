// The server starts its parts one after the other while a connection is already accepted. The request comes before
// start-up has set the handler, and there is none to answer it.
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
};

static struct handler pages;
static struct server server;
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
    server->handler = make_handler();
    server->started = 1;
    return NULL;
}

static void *accept_request(void *argument) {
    struct server *server = argument;
    struct handler *handler;

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
