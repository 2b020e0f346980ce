// Starting a session creates the thread that allocates the bandwidth, and the thread that serves peers. Nothing says
// that the second waits for the first: it uses the bandwidth before there is one.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

enum { DEFAULT_LIMIT = 100, PACKET = 16 };

struct bandwidth {
    int limit;
    int used;
};

struct session {
    struct bandwidth *bandwidth;
    int peers;
};

static struct session session;

static struct bandwidth *new_bandwidth(int limit) {
    struct bandwidth *bandwidth = malloc(sizeof *bandwidth);

    if (bandwidth == NULL) {
        abort();
    }
    bandwidth->limit = limit;
    bandwidth->used = 0;
    return bandwidth;
}

static int clamp(const struct bandwidth *bandwidth, int wanted) {
    int left = bandwidth->limit - bandwidth->used;

    return wanted < left ? wanted : left;
}

static void *initialize(void *argument) {
    struct session *session = argument;
    struct bandwidth *bandwidth = new_bandwidth(DEFAULT_LIMIT);

    session->bandwidth = bandwidth;
    return NULL;
}

static void *serve_peer(void *argument) {
    struct session *session = argument;
    struct bandwidth *bandwidth;

    session->peers++;
    bandwidth = session->bandwidth;
    assert(bandwidth != NULL);
    bandwidth->used += clamp(bandwidth, PACKET);
    return NULL;
}

int main(void) {
    pthread_t events, peer;

    pthread_create(&events, NULL, initialize, &session);
    pthread_create(&peer, NULL, serve_peer, &session);
    pthread_join(events, NULL);
    pthread_join(peer, NULL);

    assert(session.peers == 1);
    assert(session.bandwidth->used == PACKET);
    free(session.bandwidth);
    return 0;
}
