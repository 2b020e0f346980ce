#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdio>
#include <thread>

// Price quote: ask is always bid + 1.
class Quote {
    std::atomic<unsigned> seq{0};
    std::atomic<int> bid{10}, ask{11};

public:
    void update(int new_bid)
    {
        seq.fetch_add(1);
        bid = new_bid;
        ask = new_bid + 1;
        seq.fetch_add(1);
    }

    int spread() const
    {
        unsigned before;
        int b, a;
        do {
            while ((before = seq.load()) & 1)
                std::this_thread::yield();
            b = bid;
            a = ask;
        } while (seq.load() != before);
        return a - b;
    }
};

static Quote quote;

static void market(int base)
{
    for (int i = 0; i < 2; ++i) {
        quote.update(base + i);
        std::this_thread::sleep_for(std::chrono::microseconds(10 * base));
    }
}

static void trader()
{
    for (int i = 0; i < 3; ++i) {
        assert(quote.spread() == 1);
        std::this_thread::sleep_for(std::chrono::microseconds(90));
    }
}

int main()
{
    std::thread m1(market, 20);
    std::thread t(trader);
    std::thread m2(market, 50);
    m1.join();
    t.join();
    m2.join();
    std::printf("spread %d\n", quote.spread());
}
