#include <array>
#include <atomic>
#include <cassert>
#include <optional>
#include <thread>

template <class T, unsigned Cells>
class Conveyor {
    std::array<T, Cells> belt{};
    std::atomic<unsigned> head{0}, tail{0};

public:
    bool load(const T &x)
    {
        unsigned t = tail.load(std::memory_order_relaxed);
        if (t - head.load(std::memory_order_acquire) == Cells)
            return false;
        belt[t % Cells] = x;
        tail.store(t + 1, std::memory_order_release);
        return true;
    }

    std::optional<T> unload()
    {
        unsigned h = head.load(std::memory_order_relaxed);
        if (h == tail.load(std::memory_order_acquire))
            return std::nullopt;
        T x = belt[h % Cells];
        head.store(h + 1, std::memory_order_release);
        return x;
    }
};

static Conveyor<long, 2> conv;

int main()
{
    std::thread loader([] {
        for (long i = 0; i < 4; ++i)
            while (!conv.load(i * i))
                std::this_thread::yield();
    });
    std::thread packer([] {
        for (long i = 0; i < 4; ++i) {
            std::optional<long> x;
            while (!(x = conv.unload()))
                std::this_thread::yield();
            assert(*x == i * i);
        }
    });
    loader.join();
    packer.join();
}
