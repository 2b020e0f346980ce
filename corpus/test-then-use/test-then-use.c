// A status page prints what each connection is doing: it tests the connection's `activity`, then reads it again to
// follow it. The connection clears it in between, and the page follows a null pointer.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct activity {
    int code;
    const char *text;
};

struct connection {
    _Atomic(const struct activity *) activity;
};

static const struct activity reading = {1, "reading request"};
static const struct activity writing = {2, "writing reply"};
static struct connection connection = {&reading};
static int shown;

static void *serve(void *arg)
{
    struct connection *c = arg;

    c->activity = &writing;
    c->activity = NULL;
    return NULL;
}

static void *status_page(void *arg)
{
    struct connection *c = arg;

    if (c->activity)
        shown = c->activity->code;
    return NULL;
}

int main(void)
{
    pthread_t server, page;

    pthread_create(&server, NULL, serve, &connection);
    pthread_create(&page, NULL, status_page, &connection);
    pthread_join(server, NULL);
    pthread_join(page, NULL);
    return shown < 0;
}
