// Two requests let go of a cached object: each lowers the reference count atomically and tests what it
// got from that.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

enum { LENGTH = 4 };

struct cached {
    atomic_int refcount;
    int complete;
    char *body;
};

static struct cached page;
static int served[2];

static void fill(struct cached *object) {
    object->body = malloc(LENGTH);
    if (object->body == NULL) {
        abort();
    }
    for (int i = 0; i < LENGTH; i++) {
        object->body[i] = (char)('a' + i);
    }
    object->complete = 1;
    object->refcount = 0;
}

static struct cached *acquire(struct cached *object) {
    object->refcount++;
    return object;
}

static void cleanup(struct cached *object) {
    free(object->body);
}

/* Whoever lets go last cleans up. */
static void release(struct cached *object) {
    if (atomic_fetch_sub(&object->refcount, 1) == 1) {
        cleanup(object);
    }
}

static int checksum(const struct cached *object) {
    int sum = 0;

    for (int i = 0; i < LENGTH; i++) {
        sum += object->body[i];
    }
    return sum;
}

static void *request(void *argument) {
    int *sum = argument;

    *sum = checksum(&page);
    release(&page);
    return NULL;
}

int main(void) {
    pthread_t first, second;

    fill(&page);
    acquire(&page);
    acquire(&page);
    pthread_create(&first, NULL, request, &served[0]);
    pthread_create(&second, NULL, request, &served[1]);
    pthread_join(first, NULL);
    pthread_join(second, NULL);

    assert(served[0] == served[1]);
    return 0;
}
