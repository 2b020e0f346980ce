// Two threads copy the same string, which shares its representation with the copies and counts them without a lock.
// Both read the count before either has written it; one owner is not counted, and the representation is freed too
// early.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { CAPACITY = 4, COPIES = 2 };

/* Owners beyond the first are counted; a leaked representation may not be shared. */
struct rep {
    int length;
    int refcount;
    int alive;
    char data[CAPACITY];
};

struct string {
    struct rep *rep;
};

static struct rep pool;
static struct string original;
static struct string copies[COPIES];

static struct rep *create_rep(const char *text) {
    struct rep *rep = &pool;

    rep->alive = 1;
    rep->length = 0;
    rep->refcount = 0;
    for (int i = 0; i < CAPACITY && text[i] != '\0'; i++) {
        rep->data[i] = text[i];
        rep->length++;
    }
    return rep;
}

static void destroy_rep(struct rep *rep) {
    rep->alive = 0;
}

static int is_leaked(const struct rep *rep) {
    return rep->refcount < 0;
}

static struct rep *grab(struct rep *rep) {
    assert(!is_leaked(rep));
    rep->refcount++;
    return rep;
}

static void dispose(struct rep *rep) {
    if (rep->refcount <= 0) {
        destroy_rep(rep);
    } else {
        rep->refcount--;
    }
}

static void construct(struct string *string, const char *text) {
    string->rep = create_rep(text);
}

static void copy(struct string *to, const struct string *from) {
    to->rep = grab(from->rep);
}

static void destroy(struct string *string) {
    dispose(string->rep);
    string->rep = NULL;
}

static char first_letter(const struct string *string) {
    assert(string->rep->alive);
    return string->rep->data[0];
}

static void *duplicate(void *argument) {
    copy(argument, &original);
    return NULL;
}

int main(void) {
    pthread_t threads[COPIES];

    construct(&original, "abc");
    for (int i = 0; i < COPIES; i++) {
        pthread_create(&threads[i], NULL, duplicate, &copies[i]);
    }
    for (int i = 0; i < COPIES; i++) {
        pthread_join(threads[i], NULL);
    }

    destroy(&original);
    destroy(&copies[0]);
    assert(first_letter(&copies[1]) == 'a');
    destroy(&copies[1]);
    return 0;
}
