// Two threads look for primes in two ranges and put them into one vector. Taking a place and advancing the index
// happen under the vector's lock.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum {
    CAPACITY = 8,
    WORKERS = 2,
    FIRST = 2,
    LAST = 7,
    EXPECTED = 4
};

struct vector {
    int items[CAPACITY];
    int count;
    pthread_mutex_t lock;
};

struct range {
    int first;
    int last;
};

struct worker {
    pthread_t thread;
    struct range range;
    struct vector *result;
};

static struct vector primes = {{0}, 0, PTHREAD_MUTEX_INITIALIZER};
static struct worker workers[WORKERS];

/* The vector. */

static void append(struct vector *vector, int item) {
    int place;

    pthread_mutex_lock(&vector->lock);
    place = vector->count;
    vector->items[place] = item;
    vector->count = place + 1;
    pthread_mutex_unlock(&vector->lock);
}

static int contains(const struct vector *vector, int item) {
    for (int i = 0; i < vector->count; i++) {
        if (vector->items[i] == item) {
            return 1;
        }
    }
    return 0;
}

static void sort(struct vector *vector) {
    for (int i = 1; i < vector->count; i++) {
        int item = vector->items[i];
        int at = i;

        while (at > 0 && vector->items[at - 1] > item) {
            vector->items[at] = vector->items[at - 1];
            at--;
        }
        vector->items[at] = item;
    }
}

static int is_ascending(const struct vector *vector) {
    for (int i = 1; i < vector->count; i++) {
        if (vector->items[i - 1] >= vector->items[i]) {
            return 0;
        }
    }
    return 1;
}

/* The numbers. */

static int is_prime(int number) {
    if (number < 2) {
        return 0;
    }
    for (int divisor = 2; divisor * divisor <= number; divisor++) {
        if (number % divisor == 0) {
            return 0;
        }
    }
    return 1;
}

static int count_primes(struct range range) {
    int count = 0;

    for (int number = range.first; number <= range.last; number++) {
        if (is_prime(number)) {
            count++;
        }
    }
    return count;
}

static struct range part(int which) {
    int half = (LAST - FIRST + 1) / WORKERS;
    struct range range;

    range.first = FIRST + which * half;
    range.last = range.first + half - 1;
    if (which == WORKERS - 1) {
        range.last = LAST;
    }
    return range;
}

/* The workers. */

static void *collect(void *argument) {
    struct worker *self = argument;
    struct range range = self->range;

    for (int number = range.first; number <= range.last; number++) {
        if (is_prime(number)) {
            append(self->result, number);
        }
    }
    return NULL;
}

static void start(struct worker *worker, int which) {
    worker->range = part(which);
    worker->result = &primes;
    pthread_create(&worker->thread, NULL, collect, worker);
}

static void finish(struct worker *worker) {
    pthread_join(worker->thread, NULL);
}

/* Every prime is there, once. */
static int is_complete(const struct vector *vector) {
    for (int number = FIRST; number <= LAST; number++) {
        if (is_prime(number) && !contains(vector, number)) {
            return 0;
        }
    }
    return vector->count == EXPECTED;
}

int main(void) {
    struct range all = {FIRST, LAST};

    assert(count_primes(all) == EXPECTED);
    for (int i = 0; i < WORKERS; i++) {
        start(&workers[i], i);
    }
    for (int i = 0; i < WORKERS; i++) {
        finish(&workers[i]);
    }

    assert(is_complete(&primes));
    sort(&primes);
    assert(is_ascending(&primes));
    return 0;
}
