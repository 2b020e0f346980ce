// Three users of memory set notes that ask a manager to release pages. A user looks outside of the lock whether a page
// has its note; two that look at once both set it, the second note replaces the first, and the manager, which finds one
// note, skips a release: fewer were made than requested.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { USERS = 3, REQUESTS = 9, PAGES = 4, ROUNDS = 7 };

struct note {
    int is_set;
    int user, size, when;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct note notes[PAGES];
static int requested, released;
static int clock_ticks, bytes_requested, bytes_released, last_user, oldest;
static int inspected, users_left = USERS;

static void request(int user, int page) {
    if (notes[page].is_set) {
        return;
    }
    pthread_mutex_lock(&lock);
    notes[page].is_set = 1;
    notes[page].user = user;
    notes[page].size = 64;
    notes[page].when = ++clock_ticks;
    bytes_requested += 64;
    requested++;
    pthread_mutex_unlock(&lock);
}

static void release(int page) {
    pthread_mutex_lock(&lock);
    inspected++;
    if (notes[page].is_set) {
        notes[page].is_set = 0;
        bytes_released += notes[page].size;
        last_user = notes[page].user;
        oldest = notes[page].when;
        released++;
    }
    pthread_mutex_unlock(&lock);
}

static void release_all(void) {
    for (int page = 0; page < PAGES; page++) {
        release(page);
    }
}

static void *use(void *argument) {
    int user = (int)(size_t)argument;

    for (int i = 0; i < REQUESTS; i++) {
        request(user, (user + i) % PAGES);
    }
    pthread_mutex_lock(&lock);
    users_left--;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *manage(void *unused) {
    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        release_all();
        pthread_mutex_lock(&lock);
        int left = users_left;
        pthread_mutex_unlock(&lock);
        if (left == 0) {
            break;
        }
    }
    return NULL;
}

int main(void) {
    pthread_t users[USERS], manager;

    pthread_create(&manager, NULL, manage, NULL);
    for (int i = 0; i < USERS; i++) {
        pthread_create(&users[i], NULL, use, (void *)(size_t)i);
    }
    for (int i = 0; i < USERS; i++) {
        pthread_join(users[i], NULL);
    }
    pthread_join(manager, NULL);
    release_all();
    assert(requested == released);
    return 0;
}
