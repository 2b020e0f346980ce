#include <atomic>
#include <cassert>
#include <thread>

class Seesaw {
    std::atomic<bool> wants[2] = {false, false};
    std::atomic<int> favoured{0};

public:
    void up(int me)
    {
        const int other = 1 - me;
        wants[me] = true;
        while (wants[other]) {
            if (favoured != me) {
                wants[me] = false;
                while (favoured != me)
                    std::this_thread::yield();
                wants[me] = true;
            } else {
                std::this_thread::yield();
            }
        }
    }

    void down(int me)
    {
        favoured = 1 - me;
        wants[me] = false;
    }
};

static Seesaw plank;
static int swings;
static int rider = -1;

static void child(int me)
{
    for (int i = 0; i < 4; ++i) {
        plank.up(me);
        assert(rider == -1);
        rider = me;
        ++swings;
        assert(rider == me);
        rider = -1;
        plank.down(me);
    }
}

int main()
{
    std::thread a(child, 0), b(child, 1);
    a.join();
    b.join();
    assert(swings == 8);
}
