// Closing the network device takes the receive ring away and only then raises the flag that tells the interrupt
// handler to stay out. A handler that has tested the flag before, or comes in between, works on a ring that is gone.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { RING = 3, OWNED_BY_CARD = 1 };

struct descriptor {
    int flags;
    int length;
};

struct ring {
    struct descriptor descriptors[RING];
    int ready;
};

struct adapter {
    pthread_mutex_t lock;
    struct ring receive;
    int irq_sync;
    int interrupts_enabled;
    int packets;
    int bytes;
};

static struct adapter adapter = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void fill_ring(struct ring *ring) {
    for (int i = 0; i < RING; i++) {
        ring->descriptors[i].flags = 0;
        ring->descriptors[i].length = 64 + i;
    }
    ring->ready = 1;
}

static void free_ring(struct ring *ring) {
    ring->ready = 0;
    for (int i = 0; i < RING; i++) {
        ring->descriptors[i].length = 0;
    }
}

static void open_adapter(struct adapter *adapter) {
    fill_ring(&adapter->receive);
    adapter->irq_sync = 0;
    adapter->interrupts_enabled = 1;
}

/* Takes the packets that have come and gives their descriptors back to the card. */
static void receive_packets(struct adapter *adapter) {
    struct ring *ring = &adapter->receive;

    for (int i = 0; i < RING; i++) {
        assert(ring->ready);
        if (ring->descriptors[i].flags & OWNED_BY_CARD) {
            break;
        }
        adapter->bytes += ring->descriptors[i].length;
        adapter->packets++;
        ring->descriptors[i].flags |= OWNED_BY_CARD;
    }
}

/* The handler stays out once the flag is raised. */
static void *interrupt(void *argument) {
    struct adapter *adapter = argument;

    if (!adapter->irq_sync) {
        receive_packets(adapter);
    }
    return NULL;
}

static void quiesce(struct adapter *adapter) {
    pthread_mutex_lock(&adapter->lock);
    adapter->irq_sync = 1;
    pthread_mutex_unlock(&adapter->lock);
}

static void *close_adapter(void *argument) {
    struct adapter *adapter = argument;

    adapter->interrupts_enabled = 0;
    free_ring(&adapter->receive);
    quiesce(adapter);
    return NULL;
}

int main(void) {
    pthread_t handler, closing;

    open_adapter(&adapter);
    pthread_create(&handler, NULL, interrupt, &adapter);
    pthread_create(&closing, NULL, close_adapter, &adapter);
    pthread_join(handler, NULL);
    pthread_join(closing, NULL);

    assert(adapter.irq_sync == 1);
    assert(adapter.packets <= RING);
    return 0;
}
