#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

class Semaphore {
    std::atomic<int> permits;

public:
    explicit Semaphore(int n) : permits(n) {}

    void acquire()
    {
        int cur = permits.load();
        while (cur <= 0) {
            std::this_thread::yield();
            cur = permits.load();
        }
        while (!permits.compare_exchange_strong(cur, cur - 1))
            ; // cur has been refreshed
    }

    void release() { permits.fetch_add(1); }
    int available() const { return permits.load(); }
};

static Semaphore sem(1);
static std::atomic<int> inside{0};
static int log_count;

static void worker(int id)
{
    for (int i = 0; i < 2; ++i) {
        std::this_thread::sleep_for(std::chrono::microseconds(300 * id));
        sem.acquire();
        assert(++inside == 1);
        ++log_count;
        --inside;
        sem.release();
    }
}

int main()
{
    std::vector<std::thread> v;
    for (int id = 1; id <= 3; ++id)
        v.emplace_back(worker, id);
    for (auto &t : v)
        t.join();
    assert(sem.available() == 1 && log_count == 6);
    std::printf("%d\n", log_count);
}
