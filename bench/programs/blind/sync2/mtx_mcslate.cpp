#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdio>
#include <thread>

struct McsNode {
    std::atomic<McsNode *> next{nullptr};
    std::atomic<bool> locked{false};
};

class McsLock {
    std::atomic<McsNode *> tail{nullptr};

public:
    void lock(McsNode *me)
    {
        me->next = nullptr;
        McsNode *pred = tail.exchange(me);
        if (!pred)
            return;
        pred->next = me;
        me->locked = true;
        while (me->locked)
            std::this_thread::yield();
    }

    void unlock(McsNode *me)
    {
        if (!me->next.load()) {
            McsNode *self = me;
            if (tail.compare_exchange_strong(self, nullptr))
                return;
            while (!me->next.load())
                std::this_thread::yield();
        }
        me->next.load()->locked = false;
    }
};

static McsLock mtx;
static long long product = 1;

static void multiply(int factor)
{
    McsNode node;
    for (int i = 0; i < 3; ++i) {
        mtx.lock(&node);
        product *= factor;
        mtx.unlock(&node);
        std::this_thread::sleep_for(std::chrono::microseconds(100 * factor));
    }
}

int main()
{
    std::thread a(multiply, 2), b(multiply, 3), c(multiply, 5);
    a.join();
    b.join();
    c.join();
    assert(product == 27000);
    std::printf("%lld\n", product);
    return 0;
}
