#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

template <typename Word>
class Tollgate {
    static constexpr Word kBarred = Word(1) << (sizeof(Word) * 8 - 1);
    std::atomic<Word> w{0};

public:
    void pass()
    {
        while (w.fetch_add(1) & kBarred) {
            w.fetch_sub(1);
            do
                std::this_thread::yield();
            while (w.load() & kBarred);
        }
    }

    void passed() { w.fetch_sub(1); }

    void bar()
    {
        Word none = 0;
        while (!w.compare_exchange_weak(none, kBarred)) {
            none = 0;
            std::this_thread::yield();
        }
    }

    void unbar() { w.fetch_and(static_cast<Word>(~kBarred)); }
};

static Tollgate<std::uint32_t> gate;
static int price_in, price_out;

static void driver()
{
    for (int i = 0; i < 3; ++i) {
        gate.pass();
        assert(price_in == price_out);
        gate.passed();
    }
}

static void board(int step)
{
    for (int i = 0; i < 2; ++i) {
        gate.bar();
        price_in += step;
        price_out += step;
        gate.unbar();
    }
}

int main()
{
    std::thread a(driver), x(board, 1), b(driver), y(board, 10);
    a.join();
    b.join();
    x.join();
    y.join();
    assert(price_in == 22);
}
