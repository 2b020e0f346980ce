#include <atomic>
#include <cassert>
#include <cstddef>
#include <thread>

class Belt {
    static constexpr std::size_t kCells = 8;
    std::atomic<int> cells[kCells] = {};
    std::atomic<std::size_t> claimed{0};
    std::size_t removed = 0;

public:
    void add(int item)
    {
        std::size_t at = claimed.fetch_add(1);
        cells[at % kCells].store(item);
    }

    int remove()
    {
        while (claimed.load() <= removed)
            std::this_thread::yield();
        return cells[removed++ % kCells].exchange(0);
    }
};

static Belt belt;

static void sender(int base)
{
    for (int i = 1; i <= 2; ++i)
        belt.add(base + i);
}

static void receiver()
{
    int total = 0;
    for (int i = 0; i < 4; ++i) {
        int x = belt.remove();
        assert(x != 0);
        total += x;
    }
    assert(total == 11 + 12 + 21 + 22);
}

int main()
{
    std::thread r(receiver), a(sender, 10), b(sender, 20);
    a.join();
    b.join();
    r.join();
}
