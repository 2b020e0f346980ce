// The C++ library's threads, destructors of threads that are unwound, exceptions.
#include <cstdio>
#include <cstring>
#include <mutex>
#include <pthread.h>
#include <stdexcept>
#include <thread>
#include <unistd.h>

extern "C" void decide(bool);
extern "C" void decide_number(unsigned long, unsigned long);

struct Guard {
    ~Guard() {
        decide_number(6, 3);
        std::puts("destroyed");
    }
};

static thread_local Guard late;

static void *unwound(void *) {
    Guard guard;
    pthread_exit(nullptr);
}

int main(int argc, char **argv) {
    decide(true);
    std::thread([] {
        (void)&late;
        decide(false);
    }).join();
    pthread_t thread;
    pthread_create(&thread, nullptr, unwound, nullptr);
    pthread_join(thread, nullptr);
    try {
        throw std::runtime_error("caught");
    } catch (const std::exception &error) {
        std::puts(error.what());
    }
    std::fflush(stdout);
    if (argc > 1) std::thread([] { throw 1; }).join();
    return 0;
}
