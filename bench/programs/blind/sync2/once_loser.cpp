#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdio>
#include <thread>

static std::atomic<bool> claimed{false};
static std::atomic<bool> finished{false};
static std::atomic<int> table[4];

static void init_table()
{
    for (int i = 0; i < 4; ++i)
        table[i] = (i + 1) * (i + 1);
}

template <class Fn>
static void run_once(Fn fn)
{
    if (finished.load())
        return;
    if (!claimed.exchange(true)) {
        fn();
        finished.store(true);
    }
}

static void user(int k)
{
    std::this_thread::sleep_for(std::chrono::microseconds(800 * k));
    run_once(init_table);
    assert(table[k] == (k + 1) * (k + 1));
}

int main()
{
    std::thread a(user, 0);
    std::thread b(user, 1);
    std::thread c(user, 3);
    a.join();
    b.join();
    c.join();
    int sum = 0;
    for (auto &e : table)
        sum += e;
    assert(sum == 30);
    std::printf("sum %d\n", sum);
    return 0;
}
