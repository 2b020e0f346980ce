#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex m;
static std::condition_variable pillow;
static int total;

static void worker(int weight)
{
    for (int i = 0; i < 3; ++i) {
        {
            std::lock_guard<std::mutex> g(m);
            total += weight;
        }
        std::unique_lock<std::mutex> lk(m);
        pillow.wait_for(lk, std::chrono::milliseconds(1));
    }
}

int main()
{
    std::thread a(worker, 1);
    std::thread b(worker, 10);
    a.join();
    b.join();
    assert(total == 33);
}
