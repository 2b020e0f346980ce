// The configuration is made on first use, with a check before and one under the lock. It is published before its
// fields are set, so that another thread's first check lets it use a configuration that is not ready.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config {
    int port;
    int backlog;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct config *) shared;

static struct config *get_config(void)
{
    struct config *c = atomic_load(&shared);

    if (c == NULL) {
        pthread_mutex_lock(&lock);
        c = atomic_load(&shared);
        if (c == NULL) {
            c = calloc(1, sizeof *c);
            atomic_store(&shared, c);
            c->port = 8080;
            c->backlog = 16;
        }
        pthread_mutex_unlock(&lock);
    }
    return c;
}

static void *listener(void *arg)
{
    (void)arg;
    assert(get_config()->port == 8080);
    return NULL;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, NULL, listener, NULL);
    pthread_create(&second, NULL, listener, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    free(shared);
    return 0;
}
