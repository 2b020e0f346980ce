// A barrier made of a counter, a mutex and a condition. Everyone who arrives wakes those that wait, who look at the
// counter again and go on only when all have arrived.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { PARTIES = 3 };

struct barrier {
    pthread_mutex_t mutex;
    pthread_cond_t arrival;
    int arrived;
};

struct party {
    pthread_t thread;
    int number;
};

static struct barrier barrier = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
static struct party parties[PARTIES];
static int part[PARTIES];

static void pass(struct barrier *barrier) {
    pthread_mutex_lock(&barrier->mutex);
    barrier->arrived++;
    pthread_cond_broadcast(&barrier->arrival);
    while (barrier->arrived < PARTIES) {
        pthread_cond_wait(&barrier->arrival, &barrier->mutex);
    }
    pthread_mutex_unlock(&barrier->mutex);
}

/* The first half: everyone writes one part. */
static void write_part(int number) {
    part[number] = number + 1;
}

/* The second half needs all parts. */
static int sum_of_parts(void) {
    int sum = 0;

    for (int i = 0; i < PARTIES; i++) {
        sum += part[i];
    }
    return sum;
}

static void *work(void *argument) {
    struct party *self = argument;

    write_part(self->number);
    pass(&barrier);
    assert(sum_of_parts() == PARTIES * (PARTIES + 1) / 2);
    return NULL;
}

static void start(struct party *party, int number) {
    party->number = number;
    pthread_create(&party->thread, NULL, work, party);
}

static void finish(struct party *party) {
    pthread_join(party->thread, NULL);
}

int main(void) {
    for (int i = 0; i < PARTIES; i++) {
        start(&parties[i], i);
    }
    for (int i = 0; i < PARTIES; i++) {
        finish(&parties[i]);
    }

    assert(barrier.arrived == PARTIES);
    return 0;
}
