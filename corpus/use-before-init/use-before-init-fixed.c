// The session allocates the bandwidth record before it starts the peer thread that uses it.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct bandwidth {
    int limit;
    int used;
};

struct session {
    struct bandwidth *bandwidth;
    pthread_t peer;
};

static void *peer_loop(void *arg)
{
    struct session *s = arg;

    s->bandwidth->used += 16;
    return NULL;
}

static void session_open(struct session *s)
{
    struct bandwidth *b = malloc(sizeof *b);
    b->limit = 100;
    b->used = 0;
    s->bandwidth = b;
    pthread_create(&s->peer, NULL, peer_loop, s);
}

static void session_close(struct session *s)
{
    pthread_join(s->peer, NULL);
    assert(s->bandwidth->used == 16);
    free(s->bandwidth);
}

int main(void)
{
    struct session session = {0};

    session_open(&session);
    session_close(&session);
    return 0;
}
