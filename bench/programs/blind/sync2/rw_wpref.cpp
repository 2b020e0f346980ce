#include <atomic>
#include <cassert>
#include <cstdio>
#include <map>
#include <thread>

class WriterPreferring {
    std::atomic<int> state{0};          // readers, or -1
    std::atomic<int> writers_waiting{0};

public:
    void lock_shared()
    {
        for (;;) {
            while (writers_waiting.load() > 0)
                std::this_thread::yield();
            int s = state.load();
            if (s >= 0 && state.compare_exchange_strong(s, s + 1))
                return;
            std::this_thread::yield();
        }
    }
    void unlock_shared() { state.fetch_sub(1); }

    void lock()
    {
        writers_waiting.fetch_add(1);
        int free_state = 0;
        while (!state.compare_exchange_strong(free_state, -1)) {
            free_state = 0;
            std::this_thread::yield();
        }
        writers_waiting.fetch_sub(1);
    }
    void unlock() { state.store(0); }
};

static WriterPreferring rw;
static std::map<int, int> squares;

static void insert(int from)
{
    for (int i = from; i < from + 3; ++i) {
        rw.lock();
        squares[i] = i * i;
        rw.unlock();
    }
}

static void lookup()
{
    for (int i = 0; i < 3; ++i) {
        rw.lock_shared();
        for (const auto &kv : squares)
            assert(kv.second == kv.first * kv.first);
        rw.unlock_shared();
    }
}

int main()
{
    std::thread w1(insert, 1), r1(lookup), w2(insert, 10), r2(lookup);
    w1.join();
    r1.join();
    w2.join();
    r2.join();
    assert(squares.size() == 6);
    std::printf("%zu entries\n", squares.size());
}
