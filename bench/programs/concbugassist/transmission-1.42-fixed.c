// Starting a session creates the thread that allocates the bandwidth, and the thread that serves peers, which waits
// until it is told that the bandwidth is there.
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
    pthread_mutex_t lock;
    pthread_cond_t ready;
};

static struct session session = {NULL, 0, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};

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

    pthread_mutex_lock(&session->lock);
    session->bandwidth = bandwidth;
    pthread_cond_signal(&session->ready);
    pthread_mutex_unlock(&session->lock);
    return NULL;
}

static void *serve_peer(void *argument) {
    struct session *session = argument;
    struct bandwidth *bandwidth;

    session->peers++;
    pthread_mutex_lock(&session->lock);
    while (session->bandwidth == NULL) {
        pthread_cond_wait(&session->ready, &session->lock);
    }
    pthread_mutex_unlock(&session->lock);
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
