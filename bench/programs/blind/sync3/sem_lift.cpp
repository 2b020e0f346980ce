#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>
#include <vector>

struct Lift {
    std::atomic<int> space;

    explicit Lift(int n) : space(n) {}

    void step_in()
    {
        for (;;) {
            if (space.load() > 0) {
                space.fetch_sub(1);
                return;
            }
            std::this_thread::yield();
        }
    }

    void step_out() { space.fetch_add(1); }
};

static Lift lift(2);
static std::atomic<int> riders{0};

static void tenant()
{
    for (int i = 0; i < 2; ++i) {
        lift.step_in();
        int n = ++riders;
        assert(n <= 2);
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        --riders;
        lift.step_out();
    }
}

int main()
{
    std::vector<std::thread> house;
    for (int i = 0; i < 3; ++i)
        house.emplace_back(tenant);
    for (auto &t : house)
        t.join();
    return lift.space.load() - 2;
}
