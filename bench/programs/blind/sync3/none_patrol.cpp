#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>

static std::atomic<bool> stop{false};
static std::atomic<long> steps{0};

static void guard(int limit)
{
    long x = 1;
    for (int i = 0; i < limit; ++i) {
        if (stop.load(std::memory_order_relaxed))
            break;
        x = (x * 31 + i) % 10007;
        steps.fetch_add(1, std::memory_order_relaxed);
    }
    assert(x >= 0);
}

int main()
{
    std::thread a(guard, 200);
    std::thread b(guard, 50);
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    stop = true;
    a.join();
    b.join();
    assert(steps.load() <= 250);
}
