// Recursive spin lock.
#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdio>
#include <thread>

class RecursiveSpin {
    std::atomic<int> word{0};
    std::atomic<int> owner{0};
    int depth = 0;

public:
    void lock(int self)
    {
        if (owner.load() == self) {
            ++depth;
            return;
        }
        while (word.exchange(1) != 0)
            std::this_thread::yield();
        owner.store(self);
        depth = 1;
    }

    void unlock()
    {
        if (--depth == 0)
            word.store(0);
    }
};

static RecursiveSpin rs;
static int nodes_, edges_;

static void add_edge(int self)
{
    rs.lock(self);
    ++edges_;
    rs.unlock();
}

static void add_node(int self)
{
    rs.lock(self);
    ++nodes_;
    add_edge(self);
    rs.unlock();
}

static void build(int self)
{
    for (int i = 0; i < 3; ++i) {
        add_node(self);
        std::this_thread::sleep_for(std::chrono::microseconds(300 * self));
    }
}

int main()
{
    std::thread a(build, 1);
    std::thread b(build, 2);
    a.join();
    b.join();
    assert(nodes_ == 6 && edges_ == 6);
    std::printf("%d nodes %d edges\n", nodes_, edges_);
}
