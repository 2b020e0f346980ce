// Main and five workers share a pointer: two set it, one clears it in the end, two use it. A user tests it in one critical section
// and uses it in the next.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { WORKERS = 5, ROUNDS = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char storage[16];
static char *shared;
static int sets, clears, uses, changes, setter;

static void set(int number) {
    pthread_mutex_lock(&lock);
    shared = storage;
    setter = number;
    sets++;
    changes++;
    pthread_mutex_unlock(&lock);
}

static void clear(int number) {
    pthread_mutex_lock(&lock);
    shared = NULL;
    clears++;
    changes++;
    pthread_mutex_unlock(&lock);
    set(number);
}

static void use(int round) {
    pthread_mutex_lock(&lock);
    int ready = shared != NULL;
    pthread_mutex_unlock(&lock);
    if (!ready) return;
    pthread_mutex_lock(&lock);
    char *ptr = shared;
    assert(ptr != NULL);
    ptr[round & 15]++;
    uses += setter != 2;
    pthread_mutex_unlock(&lock);
}

static void *work(void *argument) {
    int number = (int)(size_t)argument;
    for (int round = 0; round < ROUNDS; round++) {
        if (number < 2) set(number);
        else if (number == 2 && round < ROUNDS - 4) set(number);
        else if (number == 2) clear(number);
        else use(round);
    }
    return NULL;
}

int main(void) {
    pthread_t workers[WORKERS];
    for (int i = 0; i < WORKERS; i++) pthread_create(&workers[i], NULL, work, (void *)(size_t)i);
    for (int i = 0; i < WORKERS; i++) pthread_join(workers[i], NULL);
    return 0;
}
