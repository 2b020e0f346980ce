// Three users ask for memory to be released by setting a note, which a releaser answers. Whether a note is set is looked
// at outside of the lock, and a second note on the same page overwrites the first: it was requested and is not released.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { USERS = 3, ROUNDS = 8, PAGES = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int notes[PAGES];
static int requested, released, users_left = USERS;

static void request(int page) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
    int is_set = notes[page];
    if (!is_set) {
        notes[page] = 1;
        requested++;
    }
    pthread_mutex_unlock(&lock);
#else
    int is_set = notes[page];
    if (is_set) return;
    pthread_mutex_lock(&lock);
    notes[page] = 1;
    requested++;
    pthread_mutex_unlock(&lock);
#endif
}

static void release_all(void) {
    for (int page = 0; page < PAGES; page++) {
        pthread_mutex_lock(&lock);
        if (notes[page]) {
            notes[page] = 0;
            released++;
        }
        pthread_mutex_unlock(&lock);
    }
}

static void *use(void *argument) {
    int number = (int)(size_t)argument;
    for (int round = 0; round < ROUNDS; round++) request((number + round) % PAGES);
    pthread_mutex_lock(&lock);
    users_left--;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *release(void *argument) {
    (void)argument;
    for (int round = 0; round < ROUNDS; round++) {
        release_all();
        pthread_mutex_lock(&lock);
        int left = users_left;
        pthread_mutex_unlock(&lock);
        if (left == 0) break;
    }
    return NULL;
}

int main(void) {
    pthread_t users[USERS], releaser;
    pthread_create(&releaser, NULL, release, NULL);
    for (int i = 0; i < USERS; i++) pthread_create(&users[i], NULL, use, (void *)(size_t)i);
    for (int i = 0; i < USERS; i++) pthread_join(users[i], NULL);
    pthread_join(releaser, NULL);
    release_all();
    assert(requested == released);
    return 0;
}
