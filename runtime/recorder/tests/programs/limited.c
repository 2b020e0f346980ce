// Decides, forbids itself to write to files beyond their first page, and decides again.
#include "recorded.h"

int main(int argc, char **argv) {
    CHECK(argc == 2);
    uint64_t count = strtoull(argv[1], NULL, 10);
    decide_many(count);
    struct rlimit limit = {4096, 4096};
    CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
    decide_many(count);
    puts("done");
}
