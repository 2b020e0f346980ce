#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdio>
#include <thread>

// One-shot notification, re-armed by the waiting side.
struct Notify {
    std::atomic<int> fired{0};

    void wait()
    {
        fired = 0;              // arm
        do {
            std::this_thread::yield();
        } while (fired == 0);
    }

    void set()
    {
        fired = 1;
    }
};

static Notify notify;
static int answer;

static void deep_thought()
{
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    answer = 6 * 7;
    notify.set();
}

static void philosopher(int *heard)
{
    notify.wait();
    *heard = answer;
}

int main()
{
    int h1 = 0, h2 = 0;
    std::thread p1(philosopher, &h1);
    std::thread p2(philosopher, &h2);
    std::thread dt(deep_thought);
    p1.join();
    p2.join();
    dt.join();
    assert(h1 == 42 && h2 == 42);
    std::printf("%d %d\n", h1, h2);
    return 0;
}
