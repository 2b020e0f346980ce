#include <atomic>
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

struct Map {
    int sheets;
    static std::atomic<int> drawn;
    Map() : sheets(24) { ++drawn; }
};
std::atomic<int> Map::drawn{0};

class Atlas {
    std::atomic<Map *> map_{nullptr};
    std::unique_ptr<Map> owner_;
    std::mutex desk_;

public:
    Map &get()
    {
        Map *m = map_.load(std::memory_order_acquire);
        if (!m) {
            std::lock_guard<std::mutex> g(desk_);
            m = map_.load(std::memory_order_relaxed);
            if (!m) {
                owner_ = std::make_unique<Map>();
                m = owner_.get();
                map_.store(m, std::memory_order_release);
            }
        }
        return *m;
    }
};

static Atlas atlas;

static void traveller()
{
    for (int i = 0; i < 2; ++i) {
        Map &m = atlas.get();
        assert(m.sheets == 24);
        assert(Map::drawn == 1);
    }
}

int main()
{
    std::thread a(traveller), b(traveller), c(traveller);
    a.join();
    b.join();
    c.join();
}
