#include <atomic>
#include <cassert>
#include <thread>

struct Window {
    std::atomic<bool> waiting{false};
    std::atomic<int> meal{0};

    void serve(int m)
    {
        while (waiting)
            std::this_thread::yield();
        meal = m;
        waiting = true;
    }

    int fetch()
    {
        while (!waiting)
            std::this_thread::yield();
        waiting = false;
        return meal;
    }
};

static void chef(Window &w)
{
    for (int m = 1; m <= 4; ++m)
        w.serve(m);
}

static void guest(Window &w)
{
    for (int m = 1; m <= 4; ++m) {
        int got = w.fetch();
        assert(got == m);
    }
}

int main()
{
    Window w;
    std::thread c(chef, std::ref(w));
    std::thread g(guest, std::ref(w));
    c.join();
    g.join();
}
