// CLH queue lock; every thread takes over its predecessor's node.
#include <atomic>
#include <cassert>
#include <cstdio>
#include <thread>
#include <vector>

struct ClhNode {
    std::atomic<bool> busy{false};
};

class ClhLock {
    std::atomic<ClhNode *> tail;

public:
    ClhLock() : tail(new ClhNode) {}
    ~ClhLock() { delete tail.load(); }

    class Handle {
        ClhNode *mine = new ClhNode;
        ClhNode *pred = nullptr;
        friend class ClhLock;

    public:
        ~Handle() { delete mine; }
    };

    void lock(Handle &h)
    {
        h.mine->busy.store(true);
        h.pred = tail.exchange(h.mine);
        while (h.pred->busy.load())
            std::this_thread::yield();
    }

    void unlock(Handle &h)
    {
        ClhNode *old = h.mine;
        h.mine = h.pred;
        old->busy.store(false);
    }
};

static ClhLock lock;
static std::vector<int> log_;

static void append(int id)
{
    ClhLock::Handle h;
    for (int i = 0; i < 3; ++i) {
        lock.lock(h);
        log_.push_back(id * 10 + i);
        lock.unlock(h);
    }
}

int main()
{
    std::vector<std::thread> ts;
    for (int i = 0; i < 3; ++i)
        ts.emplace_back(append, i);
    for (auto &t : ts)
        t.join();

    int last[3] = {-1, -1, -1};
    for (int e : log_) {
        assert(e % 10 == last[e / 10] + 1);
        last[e / 10] = e % 10;
    }
    assert(log_.size() == 9);
    std::printf("%zu entries\n", log_.size());
}
