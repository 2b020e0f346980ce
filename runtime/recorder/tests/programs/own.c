// A program that has its own way to create threads.
#include "recorded.h"

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
    return real(thread, attributes, start, argument);
}

static void *thread(void *unused) {
    decide_many(1000);
    return unused;
}

int main(void) {
    pthread_t child;
    CHECK(!pthread_create(&child, NULL, thread, NULL) && !pthread_join(child, NULL));
    decide(true);
    puts("done");
}
