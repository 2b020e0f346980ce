#include <atomic>
#include <cassert>
#include <thread>
#include <utility>

class Barometer {
    std::atomic<unsigned> ticks{0};
    std::atomic<int> mbar{1000};
    std::atomic<int> mmhg{750};

public:
    void measure(int delta)
    {
        ticks.fetch_add(1);
        mbar = mbar + 4 * delta;
        mmhg = mmhg + 3 * delta;
        ticks.fetch_add(1);
    }

    std::pair<int, int> show() const
    {
        std::pair<int, int> p;
        unsigned before, after;
        do {
            before = ticks.load();
            p = {mbar.load(), mmhg.load()};
            after = ticks.load();
        } while (before != after);
        return p;
    }
};

static Barometer wall;

static void station()
{
    for (int i = 1; i <= 3; ++i)
        wall.measure(i);
}

static void viewer()
{
    for (int i = 0; i < 3; ++i) {
        auto [a, b] = wall.show();
        assert(a * 3 == b * 4);
    }
}

int main()
{
    std::thread s(station), v(viewer), w(viewer);
    s.join();
    v.join();
    w.join();
}
