#include <atomic>
#include <cassert>
#include <thread>

class Chapel {
    std::atomic<int> praying{0};
    std::atomic_flag room{};

public:
    void enter_to_pray()
    {
        if (praying.fetch_add(1) == 0)
            while (room.test_and_set())
                std::this_thread::yield();
    }

    void leave_prayer()
    {
        if (praying.fetch_sub(1) == 1)
            room.clear();
    }

    void enter_to_paint()
    {
        while (room.test_and_set())
            std::this_thread::yield();
    }

    void leave_painting() { room.clear(); }
};

static Chapel chapel;
static int left_wing, right_wing;

static void monk()
{
    for (int i = 0; i < 3; ++i) {
        chapel.enter_to_pray();
        int l = left_wing;
        int r = right_wing;
        chapel.leave_prayer();
        assert(l == r);
    }
}

static void painter()
{
    for (int coat = 1; coat <= 3; ++coat) {
        chapel.enter_to_paint();
        left_wing = coat;
        right_wing = coat;
        chapel.leave_painting();
    }
}

int main()
{
    std::thread p(painter), a(monk), b(monk);
    p.join();
    a.join();
    b.join();
}
