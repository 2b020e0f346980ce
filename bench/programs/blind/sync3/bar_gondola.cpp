#include <atomic>
#include <cassert>
#include <cstdio>
#include <thread>

class Gondola {
    std::atomic<int> seated{0};
    std::atomic<bool> away{false};
    int places;

public:
    explicit Gondola(int n) : places(n) {}

    void board()
    {
        if (seated.fetch_add(1) + 1 == places) {
            seated.store(0);
            away.store(true);
            return;
        }
        while (!away.load())
            std::this_thread::yield();
    }
};

static Gondola boat(3);
static std::atomic<int> trip[3];

static void rider(int me)
{
    for (int r = 1; r <= 2; ++r) {
        trip[me].store(r);
        boat.board();
        for (auto &t : trip)
            assert(t.load() >= r);
    }
}

int main()
{
    std::thread a(rider, 0), b(rider, 1), c(rider, 2);
    a.join();
    b.join();
    c.join();
    std::puts("ashore");
}
