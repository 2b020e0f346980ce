#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

class Postbox {
    std::mutex lock_;
    std::condition_variable bell_;
    unsigned letters_;

public:
    explicit Postbox(unsigned n) : letters_(n) {}

    void drop()
    {
        {
            std::lock_guard<std::mutex> g(lock_);
            ++letters_;
        }
        bell_.notify_one();
    }

    void collect()
    {
        std::unique_lock<std::mutex> g(lock_);
        while (letters_ == 0)
            bell_.wait(g);
        --letters_;
    }
};

static Postbox box(0);
static std::atomic<int> dropped{0}, collected{0};

static void sender()
{
    for (int i = 0; i < 4; ++i) {
        ++dropped;
        box.drop();
    }
}

static void owner()
{
    for (int i = 0; i < 2; ++i) {
        box.collect();
        int n = ++collected;
        assert(n <= dropped.load());
    }
}

int main()
{
    std::thread a(owner), b(owner), c(sender);
    a.join();
    b.join();
    c.join();
    assert(collected == 4);
}
