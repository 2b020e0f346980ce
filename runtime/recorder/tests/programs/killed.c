// Decides until it is killed. Where each thread is, it says in a file that outlives it; what it says there is a store that
// others can see, so the decisions before it must be in the record.
#include "recorded.h"

enum { THREADS = 2 };
static volatile uint64_t *progress;

static void *decides(void *thread) {
    volatile uint64_t *mine = &progress[(uintptr_t)thread];
    for (uint64_t i = 0;; i++) {
        decide(expected_bit(i));
        *mine = i + 1;
        if (i % 1000 == 0) {
            struct heddle_buffer buffer = {&i, sizeof i};
            __heddle_input(1, (int64_t)i, 1, &buffer);
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    int file = open(argv[1], O_RDWR);
    progress = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(progress != MAP_FAILED);
    for (uintptr_t i = 1; i < THREADS; i++) {
        pthread_t thread;
        CHECK(!pthread_create(&thread, NULL, decides, (void *)i));
    }
    decides(NULL);
}
