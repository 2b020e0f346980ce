// Thousands of short threads, and as many that nobody waits for.
#include "recorded.h"

enum { BATCH = 50, BATCHES = 40 };
static sem_t ended;

static void *count(void *number) {
    decide_number((uintptr_t)number, 16);
    return NULL;
}

static void *alone(void *number) {
    decide_number((uintptr_t)number, 16);
    sem_post(&ended);
    return NULL;
}

int main(void) {
    sem_init(&ended, 0, 0);
    for (uintptr_t batch = 0; batch < BATCHES; batch++) {
        pthread_t threads[BATCH];
        for (uintptr_t i = 0; i < BATCH; i++) CHECK(!pthread_create(&threads[i], NULL, count, (void *)(batch * BATCH + i)));
        for (int i = 0; i < BATCH; i++) CHECK(!pthread_join(threads[i], NULL));
    }
    for (uintptr_t i = 0; i < BATCH; i++) {
        pthread_t thread;
        CHECK(!pthread_create(&thread, NULL, alone, (void *)(10000 + i)));
        CHECK(!pthread_detach(thread));
    }
    for (int i = 0; i < BATCH; i++) CHECK(!sem_wait(&ended));
    int maps = 0;
    FILE *file = fopen("/proc/self/maps", "r");
    for (int c; (c = getc(file)) != EOF;) maps += c == '\n';
    CHECK(maps < 400);
    puts("done");
}
