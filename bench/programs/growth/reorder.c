// N setters store a = 1 and then b = -1, and one thread looks at both while they work: it is to see both stores or neither.
// With -DCORRECT each of them holds a lock meanwhile.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

static int a, b;

#ifdef CORRECT
static pthread_mutex_t pair = PTHREAD_MUTEX_INITIALIZER;

static void enter(void) {
    pthread_mutex_lock(&pair);
}

static void leave(void) {
    pthread_mutex_unlock(&pair);
}
#else
static void enter(void) {
}

static void leave(void) {
}
#endif

static void *set(void *argument) {
    (void)argument;
    enter();
    a = 1;
    b = -1;
    leave();
    return NULL;
}

static void *look(void *argument) {
    int seen_a, seen_b;

    (void)argument;
    enter();
    seen_a = a;
    seen_b = b;
    leave();
    assert((seen_a == 0 && seen_b == 0) || (seen_a == 1 && seen_b == -1));
    return NULL;
}

int main(void) {
    pthread_t setters[N], looker;

    for (int i = 0; i < N; i++) {
        pthread_create(&setters[i], NULL, set, NULL);
    }
    pthread_create(&looker, NULL, look, NULL);
    for (int i = 0; i < N; i++) {
        pthread_join(setters[i], NULL);
    }
    pthread_join(looker, NULL);
    return 0;
}
