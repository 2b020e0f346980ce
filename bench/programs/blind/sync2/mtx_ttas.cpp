#include <algorithm>
#include <atomic>
#include <cassert>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

class BackoffLock {
    std::atomic<bool> held{false};

public:
    void lock()
    {
        int delay = 1;
        for (;;) {
            while (held.load())
                std::this_thread::yield();
            if (!held.exchange(true))
                return;
            for (int i = 0; i < delay; ++i)
                std::this_thread::yield();
            delay = std::min(delay * 2, 8);
        }
    }

    void unlock() { held.store(false); }
};

static BackoffLock mu;
static std::string journal;

static void writer(char who)
{
    for (int i = 0; i < 3; ++i) {
        std::lock_guard<BackoffLock> g(mu);
        journal.push_back(who);
        journal.push_back('0' + i);
    }
}

int main()
{
    std::thread a(writer, 'a');
    std::thread b(writer, 'b');
    std::thread c(writer, 'c');
    a.join();
    b.join();
    c.join();
    assert(journal.size() == 18);
    for (std::size_t i = 0; i < journal.size(); i += 2)
        assert(journal[i] >= 'a' && journal[i + 1] <= '2');
    std::cout << journal << '\n';
}
