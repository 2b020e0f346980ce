// Fills chunks until it is killed: decisions that take a word each, and say how many there were before.
#include "recorded.h"

enum { THREADS = 2 };
static volatile uint64_t *progress;

static void *decides(void *thread) {
    volatile uint64_t *mine = &progress[(uintptr_t)thread];
    for (uint64_t i = 0;; i++) {
        decide_number(i & UINT32_MAX, 32);
        *mine = i + 1;
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
