// A sequential list in an array, used by two threads. Each adds its item under a lock, so that the second finds the
// next place open.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum {
    MAX_SIZE = 6,
    NOT_FOUND = -1,
    FIRST_ITEM = 1,
    SECOND_ITEM = 2
};

struct list {
    int items[MAX_SIZE];
    int open;
};

struct user {
    pthread_t thread;
    struct list *list;
    int item;
};

static struct list list;
static struct user users[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The list. */

static void list_init(struct list *list) {
    list->open = 0;
    for (int i = 0; i < MAX_SIZE; i++) {
        list->items[i] = 0;
    }
}

static int list_is_full(const struct list *list) {
    return list->open >= MAX_SIZE;
}

static int list_add(struct list *list, int item) {
    if (list_is_full(list)) {
        return 0;
    }
    list->items[list->open] = item;
    list->open += 1;
    return 1;
}

static int list_index(const struct list *list, int item) {
    for (int i = 0; i < list->open; i++) {
        if (list->items[i] == item) {
            return i;
        }
    }
    return NOT_FOUND;
}

static int list_contains(const struct list *list, int item) {
    return list_index(list, item) != NOT_FOUND;
}

static int list_remove(struct list *list, int item) {
    int index = list_index(list, item);

    if (index == NOT_FOUND) {
        return 0;
    }
    for (int i = index; i + 1 < list->open; i++) {
        list->items[i] = list->items[i + 1];
    }
    list->open -= 1;
    return 1;
}

static int list_size(const struct list *list) {
    return list->open;
}

/* The users. */

static void *insert(void *argument) {
    struct user *self = argument;

    pthread_mutex_lock(&lock);
    list_add(self->list, self->item);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void start(struct user *user, int item) {
    user->list = &list;
    user->item = item;
    pthread_create(&user->thread, NULL, insert, user);
}

static void finish(struct user *user) {
    pthread_join(user->thread, NULL);
}

int main(void) {
    list_init(&list);
    start(&users[0], FIRST_ITEM);
    start(&users[1], SECOND_ITEM);
    finish(&users[0]);
    finish(&users[1]);

    assert(list_contains(&list, FIRST_ITEM) && list_contains(&list, SECOND_ITEM));
    assert(list_size(&list) == 2);
    list_remove(&list, FIRST_ITEM);
    list_remove(&list, SECOND_ITEM);
    assert(list_size(&list) == 0);
    return 0;
}
