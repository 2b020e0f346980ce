// All empty strings share one static representation. Clearing a string marks its representation as unshared, the
// static one too: between another thread's grab and dispose, that count is lost, and the static representation is
// destroyed.
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

static struct rep empty_rep;
static struct string log_line, title;

/* The representation. */

static void set_length(struct rep *rep, int length) {
    rep->length = length;
    rep->data[length] = '\0';
}

static void set_sharable(struct rep *rep) {
    rep->refcount = 0;
}

static void set_length_and_sharable(struct rep *rep, int length) {
    set_sharable(rep);
    set_length(rep, length);
}

static void destroy_rep(struct rep *rep) {
    assert(rep != &empty_rep);
    rep->length = 0;
}

static struct rep *grab(struct rep *rep) {
    rep->refcount++;
    return rep;
}

static void dispose(struct rep *rep) {
    rep->refcount--;
    if (rep->refcount < 0) {
        destroy_rep(rep);
    }
}

/* The string. */

static void construct(struct string *string) {
    string->rep = &empty_rep;
}

static void copy(struct string *to, const struct string *from) {
    to->rep = grab(from->rep);
}

static void destroy(struct string *string) {
    dispose(string->rep);
}

static int is_empty(const struct string *string) {
    return string->rep->length == 0;
}

static void clear(struct string *string) {
    set_length_and_sharable(string->rep, 0);
}

/* The threads. */

static void *reset_log(void *argument) {
    (void)argument;
    clear(&log_line);
    return NULL;
}

static void *print_title(void *argument) {
    struct string printed;

    (void)argument;
    copy(&printed, &title);
    assert(is_empty(&printed));
    destroy(&printed);
    return NULL;
}

int main(void) {
    pthread_t logger, printer;

    construct(&log_line);
    construct(&title);
    pthread_create(&logger, NULL, reset_log, NULL);
    pthread_create(&printer, NULL, print_title, NULL);
    pthread_join(logger, NULL);
    pthread_join(printer, NULL);
    return 0;
}
