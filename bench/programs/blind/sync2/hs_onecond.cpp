#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>
#include <thread>

class Mailbox {
    std::mutex m;
    std::condition_variable cv;
    std::optional<int> item;

public:
    void put(int v)
    {
        std::unique_lock<std::mutex> lk(m);
        while (item.has_value())
            cv.wait(lk);
        item = v;
        cv.notify_one();
    }

    int take()
    {
        std::unique_lock<std::mutex> lk(m);
        while (!item.has_value())
            cv.wait(lk);
        int v = *item;
        item.reset();
        cv.notify_one();
        return v;
    }
};

static Mailbox box;

static void producer(int base)
{
    for (int i = 0; i < 2; ++i) {
        std::this_thread::sleep_for(std::chrono::microseconds(1500 + 70 * base));
        box.put(base + i);
    }
}

static void consumer(int n)
{
    int sum = 0;
    while (n-- > 0)
        sum += box.take();
    assert(sum == 62);
    std::printf("sum %d\n", sum);
}

int main()
{
    std::thread c(consumer, 4);
    std::thread p1(producer, 10);
    std::thread p2(producer, 20);
    p1.join();
    p2.join();
    c.join();
    return 0;
}
