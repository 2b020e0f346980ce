// Two threads read letters of one string that shares its representation with another. A letter that could be written
// makes the string leave the shared representation first: test and leaving happen under a lock.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

enum { LENGTH = 3, LEAKED = -1 };

/* Owners beyond the first are counted; a leaked representation may be written and not be shared. */
struct rep {
    int refcount;
    int alive;
    char data[LENGTH];
};

struct string {
    struct rep *rep;
};

static struct string text, saved;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct rep *new_rep(const char *data) {
    struct rep *rep = malloc(sizeof *rep);

    if (rep == NULL) {
        abort();
    }
    rep->refcount = 0;
    rep->alive = 1;
    for (int i = 0; i < LENGTH; i++) {
        rep->data[i] = data[i];
    }
    return rep;
}

static struct rep *grab(struct rep *rep) {
    if (rep->refcount == LEAKED) {
        return new_rep(rep->data);
    }
    rep->refcount++;
    return rep;
}

static void dispose(struct rep *rep) {
    if (rep->refcount <= 0) {
        rep->alive = 0;
    } else {
        rep->refcount--;
    }
}

static void leak(struct string *string) {
    struct rep *old;

    pthread_mutex_lock(&lock);
    old = string->rep;
    if (old->refcount > 0) {
        string->rep = new_rep(old->data);
        dispose(old);
    }
    string->rep->refcount = LEAKED;
    pthread_mutex_unlock(&lock);
}

static char *letter(struct string *string, int index) {
    leak(string);
    return &string->rep->data[index];
}

static void *read_first(void *argument) {
    assert(*letter(argument, 0) == 'a');
    return NULL;
}

static void *read_last(void *argument) {
    assert(*letter(argument, LENGTH - 1) == 'c');
    return NULL;
}

int main(void) {
    pthread_t first, last;

    text.rep = new_rep("abc");
    saved.rep = grab(text.rep);
    pthread_create(&first, NULL, read_first, &text);
    pthread_create(&last, NULL, read_last, &text);
    pthread_join(first, NULL);
    pthread_join(last, NULL);

    assert(saved.rep->alive);
    return 0;
}
