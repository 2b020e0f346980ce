#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdio>
#include <thread>

using namespace std::chrono_literals;

class CyclicBarrier {
    std::atomic<int> waiting{0};
    std::atomic<unsigned> generation{0};
    int parties;

public:
    explicit CyclicBarrier(int n) : parties(n) {}

    void await()
    {
        const int index = ++waiting;
        const unsigned mine = generation;
        if (index == parties) {
            waiting = 0;
            ++generation;
            return;
        }
        do {
            std::this_thread::yield();
        } while (generation == mine);
    }
};

static CyclicBarrier barrier(2);
static int pingField[2];
static int pongField[2];

static void left()
{
    for (int r = 0; r < 3; ++r) {
        std::this_thread::sleep_for(200us);
        pingField[r & 1] = r + 1;
        barrier.await();
        assert(pongField[r & 1] == -(r + 1));
    }
}

static void right()
{
    for (int r = 0; r < 3; ++r) {
        std::this_thread::sleep_for(900us);
        pongField[r & 1] = -(r + 1);
        barrier.await();
        assert(pingField[r & 1] == r + 1);
    }
}

int main()
{
    std::thread a(left), b(right);
    a.join();
    b.join();
    std::puts("met three times");
}
