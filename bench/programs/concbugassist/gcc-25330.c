// Two strings share one representation, and two threads destroy them. Each tests whether it is the last owner and
// lowers the count only then; both test before either lowers, both think that the other remains, and nobody frees it.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { CAPACITY = 4 };

/* Owners beyond the first are counted. */
struct rep {
    int length;
    int refcount;
    char data[CAPACITY];
};

struct string {
    struct rep *rep;
};

static struct rep pool;
static int taken, given_back;

static struct rep *create_rep(const char *text) {
    struct rep *rep = &pool;

    taken++;
    rep->length = 0;
    rep->refcount = 0;
    for (int i = 0; i < CAPACITY && text[i] != '\0'; i++) {
        rep->data[i] = text[i];
        rep->length++;
    }
    return rep;
}

static void destroy_rep(struct rep *rep) {
    rep->length = 0;
    given_back++;
}

static struct rep *grab(struct rep *rep) {
    rep->refcount++;
    return rep;
}

static void dispose(struct rep *rep) {
    if (rep->refcount > 0) {
        rep->refcount--;
    } else {
        destroy_rep(rep);
    }
}

static void construct(struct string *string, const char *text) {
    string->rep = create_rep(text);
}

static void copy(struct string *to, const struct string *from) {
    to->rep = grab(from->rep);
}

static void *destroy(void *argument) {
    struct string *string = argument;

    dispose(string->rep);
    return NULL;
}

int main(void) {
    struct string name, same;
    pthread_t first, second;

    construct(&name, "gcc");
    copy(&same, &name);
    pthread_create(&first, NULL, destroy, &name);
    pthread_create(&second, NULL, destroy, &same);
    pthread_join(first, NULL);
    pthread_join(second, NULL);

    assert(given_back == taken);
    return 0;
}
