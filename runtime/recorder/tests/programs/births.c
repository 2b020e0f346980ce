// Threads that create threads, one that cannot be created, and several ways to end.
#include "recorded.h"

static void *leaf(void *number) {
    decide_number((uintptr_t)number, 8);
    return NULL;
}

static void *inner(void *number) {
    decide_number((uintptr_t)number, 8);
    pthread_t threads[2];
    for (uintptr_t i = 0; i < 2; i++) CHECK(!pthread_create(&threads[i], NULL, leaf, (void *)((uintptr_t)number * 10 + i + 1)));
    for (int i = 0; i < 2; i++) CHECK(!pthread_join(threads[i], NULL));
    return number;
}

static pthread_key_t key;

static void destroyed(void *value) { decide_number((uintptr_t)value, 8); }

static void *leaves(void *number) {
    CHECK(!pthread_setspecific(key, (void *)77));
    decide_number((uintptr_t)number, 8);
    pthread_exit(number);
}

static void *waits(void *number) {
    decide_number((uintptr_t)number, 8);
    for (;;) pause();
}

static int standard(void *number) {
    decide_number((uintptr_t)number, 8);
    return -5;
}

int main(void) {
    decide(true);
    pthread_t thread;
    void *result;
    CHECK(!pthread_key_create(&key, destroyed));

    CHECK(!pthread_create(&thread, NULL, inner, (void *)1));
    CHECK(!pthread_join(thread, &result) && result == (void *)1);

    pthread_attr_t huge;
    CHECK(!pthread_attr_init(&huge) && !pthread_attr_setstacksize(&huge, 1ul << 46));
    CHECK(pthread_create(&thread, &huge, leaf, NULL) != 0);

    CHECK(!pthread_create(&thread, NULL, leaves, (void *)2));
    CHECK(!pthread_join(thread, &result) && result == (void *)2);

    CHECK(!pthread_create(&thread, NULL, waits, (void *)3));
    CHECK(!pthread_cancel(thread));
    CHECK(!pthread_join(thread, &result) && result == PTHREAD_CANCELED);

    thrd_t other;
    int answer;
    CHECK(thrd_create(&other, standard, (void *)4) == thrd_success);
    CHECK(thrd_join(other, &answer) == thrd_success && answer == -5);
    decide(false);
    puts("done");
}
