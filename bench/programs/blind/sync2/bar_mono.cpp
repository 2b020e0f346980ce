// Arrival counter that only grows; each crossing waits for its own multiple.
#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdio>
#include <thread>

namespace {

constexpr unsigned kThreads = 3;
constexpr unsigned kRounds = 3;

struct Monotone {
    std::atomic<unsigned> arrivals{0};

    void sync()
    {
        const unsigned ticket = arrivals.fetch_add(1);
        const unsigned target = (ticket / kThreads + 1) * kThreads;
        while (arrivals.load() < target)
            std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
};

Monotone mono;
int fib[kRounds + 2][kThreads];

void column(unsigned id)
{
    for (unsigned r = 2; r < kRounds + 2; ++r) {
        const unsigned left = (id + kThreads - 1) % kThreads;
        fib[r][id] = fib[r - 1][left] + fib[r - 2][id];
        mono.sync();
    }
}

} // namespace

int main()
{
    for (unsigned i = 0; i < kThreads; ++i)
        fib[0][i] = fib[1][i] = 1;

    std::thread a(column, 0u);
    std::thread b(column, 1u);
    std::thread c(column, 2u);
    a.join();
    b.join();
    c.join();

    for (unsigned i = 0; i < kThreads; ++i)
        assert(fib[kRounds + 1][i] == 5);
    std::printf("arrivals %u\n", mono.arrivals.load());
}
