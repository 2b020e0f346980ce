#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdio>
#include <thread>

class SharedLock {
    std::atomic<int> readers{0};
    std::atomic_flag busy = ATOMIC_FLAG_INIT;

public:
    void lock()
    {
        while (busy.test_and_set())
            std::this_thread::yield();
    }
    void unlock() { busy.clear(); }

    void lock_shared()
    {
        if (readers.fetch_add(1) == 0)
            lock();             // first one in keeps the writers out
    }
    void unlock_shared()
    {
        if (readers.fetch_sub(1) == 1)
            unlock();           // last one out
    }
};

static SharedLock guard;
static std::atomic<int> celsius{0}, fahrenheit{32};

static void sensor()
{
    for (int i = 1; i <= 3; ++i) {
        guard.lock();
        celsius = 10 * i;
        fahrenheit = 18 * i + 32;
        guard.unlock();
        std::this_thread::sleep_for(std::chrono::microseconds(350));
    }
}

static void display(int pause)
{
    for (int i = 0; i < 2; ++i) {
        std::this_thread::sleep_for(std::chrono::microseconds(pause));
        guard.lock_shared();
        const int c = celsius;
        const int f = fahrenheit;
        guard.unlock_shared();
        assert(f * 5 == c * 9 + 160);
    }
}

int main()
{
    std::thread s(sensor);
    std::thread d1(display, 120);
    std::thread d2(display, 200);
    s.join();
    d1.join();
    d2.join();
    std::printf("%d C\n", celsius.load());
}
