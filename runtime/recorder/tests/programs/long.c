// As many decisions as the first argument says, in two threads, with an input now and then.
#include "recorded.h"

static uint64_t count;

static void *decides(void *unused) {
    for (uint64_t i = 0; i < count; i++) {
        errno = (int)i;
        decide(expected_bit(i));
        if (i % 100 == 0) {
            struct heddle_buffer buffer = {&i, sizeof i};
            __heddle_input(1, -(int64_t)i, 1, &buffer);
        }
        CHECK(errno == (int)i);
    }
    return unused;
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    count = strtoull(argv[1], NULL, 10);
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, decides, NULL));
    decides(NULL);
    CHECK(!pthread_join(thread, NULL));
    CHECK(!pthread_create(&thread, NULL, decides, NULL) && !pthread_join(thread, NULL));
    puts("done");
}
