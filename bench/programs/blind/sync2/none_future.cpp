#include <cassert>
#include <cstdio>
#include <future>
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <thread>
#include <vector>

static std::once_flag flag;
static std::shared_mutex mx;
static std::vector<int> numbers;

static void fill()
{
    std::unique_lock<std::shared_mutex> lk(mx);
    numbers.resize(10);
    std::iota(numbers.begin(), numbers.end(), 1);
}

static void summer(int from, int to, std::promise<int> out)
{
    std::call_once(flag, fill);
    std::shared_lock<std::shared_mutex> lk(mx);
    int s = 0;
    for (int i = from; i < to; ++i)
        s += numbers[i];
    out.set_value(s);
}

int main()
{
    std::promise<int> p1, p2;
    std::future<int> f1 = p1.get_future();
    std::future<int> f2 = p2.get_future();

    std::thread a(summer, 0, 5, std::move(p1));
    std::thread b(summer, 5, 10, std::move(p2));
    const int total = f1.get() + f2.get();
    a.join();
    b.join();

    assert(total == 55);
    std::printf("total %d\n", total);
    return 0;
}
