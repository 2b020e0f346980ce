// Two binary semaphores make two threads alternate.
#include <atomic>
#include <cassert>
#include <cstdio>
#include <string>
#include <thread>

class BinarySem {
    std::atomic<bool> token;

public:
    explicit BinarySem(bool initially) : token(initially) {}

    void acquire()
    {
        while (!token.exchange(false))
            std::this_thread::yield();
    }

    void release()
    {
        token.store(true);
    }
};

static BinarySem tick(true);
static BinarySem tock(false);
static std::string text;

static void ticker()
{
    for (int i = 0; i < 3; ++i) {
        tick.acquire();
        text += "tick ";
        tock.release();
    }
}

static void tocker()
{
    for (int i = 0; i < 3; ++i) {
        tock.acquire();
        text += "tock ";
        tick.release();
    }
}

int main()
{
    std::thread a(ticker);
    std::thread b(tocker);
    a.join();
    b.join();
    assert(text == "tick tock tick tock tick tock ");
    std::puts(text.c_str());
}
