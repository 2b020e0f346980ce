#include <array>
#include <cassert>
#include <latch>
#include <numeric>
#include <thread>

static std::latch ready(2);
static std::array<int, 2> tyres;

static void mechanic(int side)
{
    tyres[side] = 30 + side;
    ready.count_down();
}

static void driver()
{
    ready.wait();
    int pressure = std::accumulate(tyres.begin(), tyres.end(), 0);
    assert(pressure == 61);
}

int main()
{
    std::thread d(driver);
    std::thread l(mechanic, 0);
    std::thread r(mechanic, 1);
    l.join();
    r.join();
    d.join();
}
