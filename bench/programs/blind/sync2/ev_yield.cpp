#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

class ManualEvent {
    std::atomic<bool> state{false};

public:
    void set() { state.store(true); }
    bool is_set() const { return state.load(); }

    void wait() const
    {
        for (int spins = 0;; ++spins) {
            if (is_set())
                return;
            if (spins < 16)
                std::this_thread::yield();
            else
                std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
    }
};

struct Config {
    std::string name;
    int level;
};

static ManualEvent ready;
static std::unique_ptr<Config> config;

static void configure()
{
    config = std::make_unique<Config>(Config{"default", 4});
    config->level += 1;
    ready.set();
}

static void consume(int *out)
{
    ready.wait();
    assert(config);
    *out = config->level + static_cast<int>(config->name.size());
}

int main()
{
    int r[3] = {0, 0, 0};
    std::thread a(consume, &r[0]), b(consume, &r[1]), c(consume, &r[2]);
    std::thread s(configure);
    s.join();
    a.join();
    b.join();
    c.join();
    assert(r[0] == 12 && r[1] == 12 && r[2] == 12);
    std::printf("%d\n", r[0]);
}
