#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

class Greenhouse {
    std::mutex m;
    std::condition_variable cv;
    int strolling = 0;
    bool planting = false;

public:
    void stroll()
    {
        std::unique_lock<std::mutex> lk(m);
        cv.wait(lk, [this] { return !planting; });
        ++strolling;
    }

    void stop_strolling()
    {
        std::lock_guard<std::mutex> lk(m);
        if (--strolling == 0)
            cv.notify_all();
    }

    void plant()
    {
        std::unique_lock<std::mutex> lk(m);
        cv.wait(lk, [this] { return !planting && strolling == 0; });
        planting = true;
    }

    void stop_planting()
    {
        std::lock_guard<std::mutex> lk(m);
        planting = false;
        cv.notify_all();
    }
};

static Greenhouse house;
static int roses, labels;

static void visitor()
{
    for (int i = 0; i < 3; ++i) {
        house.stroll();
        assert(roses == labels);
        house.stop_strolling();
    }
}

static void gardener()
{
    for (int i = 0; i < 3; ++i) {
        house.plant();
        roses += 2;
        labels += 2;
        house.stop_planting();
    }
}

int main()
{
    std::thread a(visitor), g(gardener), b(visitor);
    a.join();
    b.join();
    g.join();
    assert(labels == 6);
}
