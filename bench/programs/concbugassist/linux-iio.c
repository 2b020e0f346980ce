// A trigger may fire only when nobody uses it any more. Two interrupts both find the use count zero before either has
// raised it; consumers then give back more uses than were counted.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { CONSUMERS = 2 };

struct trigger {
    int use_count;
    int fired;
    int missed;
    int enabled;
    pthread_mutex_t lock;
};

static struct trigger trigger = {0, 0, 0, 1, PTHREAD_MUTEX_INITIALIZER};
static int samples[CONSUMERS];

static void reenable(struct trigger *trigger) {
    trigger->enabled = 1;
}

/* A consumer has read its sample and gives its use back. */
static void notify_done(struct trigger *trigger) {
    trigger->use_count--;
    assert(trigger->use_count >= 0);
    if (trigger->use_count == 0) {
        reenable(trigger);
    }
}

static void consume(struct trigger *trigger, int consumer) {
    samples[consumer]++;
    notify_done(trigger);
}

/* Claims the trigger for all consumers. Returns whether it was free. */
static int claim(struct trigger *trigger) {
    int claimed = 0;

    if (trigger->use_count == 0) {
        trigger->use_count = CONSUMERS;
        trigger->enabled = 0;
        trigger->fired++;
        claimed = 1;
    } else {
        trigger->missed++;
    }
    return claimed;
}

static void *poll(void *argument) {
    struct trigger *trigger = argument;

    if (!claim(trigger)) {
        return NULL;
    }
    for (int i = 0; i < CONSUMERS; i++) {
        consume(trigger, i);
    }
    return NULL;
}

int main(void) {
    pthread_t timer, sensor;

    pthread_create(&timer, NULL, poll, &trigger);
    pthread_create(&sensor, NULL, poll, &trigger);
    pthread_join(timer, NULL);
    pthread_join(sensor, NULL);
    return 0;
}
