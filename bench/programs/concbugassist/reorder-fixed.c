// Four setters store a = 1 and then b = -1 under a lock, and main looks at both under the same lock, so that it finds
// both stores of a setter or none.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

enum { SETTERS = 4 };

struct pair {
    int a;
    int b;
};

struct setter {
    pthread_t thread;
    struct pair *pair;
    int started;
};

static struct pair shared;
static struct setter setters[SETTERS];
static pthread_mutex_t both = PTHREAD_MUTEX_INITIALIZER;

/* Both members are to change together. */
static void set_pair(struct pair *pair) {
    pthread_mutex_lock(&both);
    pair->a = 1;
    pair->b = -1;
    pthread_mutex_unlock(&both);
}

/* A copy, so that the test looks at one moment. */
static struct pair copy_pair(const struct pair *pair) {
    struct pair copy;

    pthread_mutex_lock(&both);
    copy.a = pair->a;
    copy.b = pair->b;
    pthread_mutex_unlock(&both);
    return copy;
}

static int is_untouched(struct pair pair) {
    return pair.a == 0 && pair.b == 0;
}

static int is_set(struct pair pair) {
    return pair.a == 1 && pair.b == -1;
}

static void *set(void *argument) {
    struct setter *self = argument;

    set_pair(self->pair);
    return NULL;
}

static void check(const struct pair *pair) {
    struct pair seen = copy_pair(pair);

    assert(is_untouched(seen) || is_set(seen));
}

static void start(struct setter *setter) {
    setter->pair = &shared;
    if (pthread_create(&setter->thread, NULL, set, setter) != 0) {
        abort();
    }
    setter->started = 1;
}

static void finish(struct setter *setter) {
    if (!setter->started) {
        return;
    }
    if (pthread_join(setter->thread, NULL) != 0) {
        abort();
    }
    setter->started = 0;
}

int main(void) {
    for (int i = 0; i < SETTERS; i++) {
        start(&setters[i]);
    }

    check(&shared);

    for (int i = 0; i < SETTERS; i++) {
        finish(&setters[i]);
    }
    return 0;
}
