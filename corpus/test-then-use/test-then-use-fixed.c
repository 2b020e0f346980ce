// A status page prints what each connection is doing. It reads the connection's `activity` once, and tests and
// follows that copy; the descriptions are constants and never go away.
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
    const struct activity *activity = c->activity;

    if (activity)
        shown = activity->code;
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
