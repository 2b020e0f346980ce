#include <atomic>
#include <cassert>
#include <cstdio>
#include <thread>
#include <utility>
#include <vector>

class Once {
    enum : int { kIdle, kRunning, kDone };
    std::atomic<int> state{kIdle};

public:
    template <class F>
    void call(F &&f)
    {
        int expected = kIdle;
        if (state.load() == kDone)
            return;
        if (state.compare_exchange_strong(expected, kRunning)) {
            std::forward<F>(f)();
            state.store(kDone);
            return;
        }
        while (state.load() != kDone)
            std::this_thread::yield();
    }
};

static Once once;
static std::vector<int> primes;
static int calls;

static void sieve()
{
    ++calls;
    for (int n = 2; n < 30; ++n) {
        bool prime = true;
        for (int p : primes)
            if (n % p == 0)
                prime = false;
        if (prime)
            primes.push_back(n);
    }
}

static void user(std::size_t i, int expect)
{
    once.call(sieve);
    assert(primes.at(i) == expect);
}

int main()
{
    std::thread a(user, 0, 2), b(user, 4, 11), c(user, 9, 29);
    a.join();
    b.join();
    c.join();
    assert(calls == 1);
    std::printf("%zu primes\n", primes.size());
}
