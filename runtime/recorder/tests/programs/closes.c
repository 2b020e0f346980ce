// A program that closes everything it does not know, and then uses the numbers for files of its own.
#include "recorded.h"

int main(int argc, char **argv) {
    CHECK(argc == 2);
    int probe = open("/dev/null", O_RDONLY);
    CHECK(probe == 3);
    close(probe);
    decide_many(1000);
    for (int file = 3; file < 1100; file++) close(file);
    CHECK(!chdir("/"));
    for (int file = 3; file < 1100; file++) CHECK(open(argv[1], O_RDWR) == file);
    for (int i = 0; i < 100; i++) decide_many(1000);
    struct rlimit limit;
    CHECK(!getrlimit(RLIMIT_NOFILE, &limit));
    for (int file = 3; file < 1100; file++) CHECK(!close(file));
    puts("done");
}
