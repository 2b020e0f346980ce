#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

namespace quarry {

static std::atomic<bool> open{false};
static std::mutex shaft;
static std::atomic<int> blasts{0};
static int stones;

static void blast()
{
    ++blasts;
    stones = 60;
}

static int stock()
{
    if (!open.load()) {
        shaft.lock();
        blast();
        open.store(true);
        shaft.unlock();
    }
    return stones;
}

} // namespace quarry

static void mason(int rounds)
{
    while (rounds-- > 0) {
        int s = quarry::stock();
        assert(s == 60);
        assert(quarry::blasts.load() == 1);
    }
}

int main()
{
    std::thread a(mason, 3), b(mason, 3);
    a.join();
    b.join();
}
