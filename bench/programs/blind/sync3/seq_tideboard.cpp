#include <atomic>
#include <cassert>
#include <cstddef>
#include <thread>

template <typename T, std::size_t N>
class TideBoard {
    std::atomic<unsigned long> turn{0};
    std::atomic<T> cell[N] = {};

public:
    void publish(const T (&in)[N])
    {
        unsigned long t = turn.load();
        while ((t & 1) || !turn.compare_exchange_weak(t, t + 1)) {
            std::this_thread::yield();
            t = turn.load();
        }
        for (std::size_t i = 0; i < N; ++i)
            cell[i].store(in[i]);
        turn.store(t + 2);
    }

    bool try_read(T (&out)[N]) const
    {
        const unsigned long t = turn.load();
        if (t & 1)
            return false;
        for (std::size_t i = 0; i < N; ++i)
            out[i] = cell[i].load();
        return turn.load() == t;
    }

    void read(T (&out)[N]) const
    {
        while (!try_read(out))
            std::this_thread::yield();
    }
};

static TideBoard<int, 3> board;

static void warden(int base)
{
    for (int i = 0; i < 3; ++i) {
        const int v[3] = {base + i, base + i, base + i};
        board.publish(v);
    }
}

static void captain()
{
    int v[3];
    for (int i = 0; i < 4; ++i) {
        board.read(v);
        assert(v[0] == v[1] && v[1] == v[2]);
    }
}

int main()
{
    std::thread c(captain), a(warden, 100), b(warden, 200);
    a.join();
    b.join();
    c.join();
}
