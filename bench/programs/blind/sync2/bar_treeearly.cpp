// Two-level combining barrier for four threads.
#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

struct Node {
    std::atomic<int> count{0};
    std::atomic<bool> sense{false};
    Node *parent = nullptr;

    void arrive(bool s)
    {
        if (count.fetch_add(1) == 1) {
            count.store(0);
            sense.store(s);
            if (parent)
                parent->arrive(s);
            return;
        }
        while (sense.load() != s)
            std::this_thread::yield();
    }
};

class TreeBarrier {
    Node root;
    Node leaf[2];

public:
    TreeBarrier()
    {
        leaf[0].parent = &root;
        leaf[1].parent = &root;
    }
    void wait(int id, bool &s)
    {
        s = !s;
        leaf[id / 2].arrive(s);
    }
};

static TreeBarrier tb;
static std::atomic<int> done[4];

static void worker(int id)
{
    bool sense = false;
    for (int r = 1; r <= 2; ++r) {
        done[id] = r;
        tb.wait(id, sense);
        std::this_thread::sleep_for(std::chrono::milliseconds(25));
        for (auto &d : done)
            assert(d >= r);
    }
}

int main()
{
    std::vector<std::thread> pool;
    for (int i = 0; i < 4; ++i)
        pool.emplace_back(worker, i);
    for (auto &t : pool)
        t.join();
    std::printf("finished\n");
    return 0;
}
