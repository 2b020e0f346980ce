#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

class Tower {
    std::mutex mu;
    std::condition_variable radio;
    bool raised[2] = {false, false};

public:
    void raise(int which)
    {
        std::lock_guard<std::mutex> g(mu);
        raised[which] = true;
        radio.notify_all();
    }

    void expect(int which)
    {
        std::unique_lock<std::mutex> lk(mu);
        if (!raised[which])
            radio.wait(lk);
    }
};

static Tower tower;
static int fuel, runway;

static void crew()
{
    fuel = 80;
    tower.raise(0);
}

static void ground()
{
    runway = 27;
    tower.raise(1);
}

static void pilot()
{
    tower.expect(1);
    assert(runway == 27);
    tower.expect(0);
    assert(fuel == 80);
}

int main()
{
    std::thread p(pilot), c(crew), g(ground);
    p.join();
    c.join();
    g.join();
}
