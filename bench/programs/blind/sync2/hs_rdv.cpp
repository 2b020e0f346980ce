// Two parties swap values at every meeting.
#include <array>
#include <atomic>
#include <cassert>
#include <cstdio>
#include <thread>

class Exchanger {
    struct Side {
        std::atomic<int> round{0};
        std::array<int, 2> gift{};
    };
    std::array<Side, 2> side;

public:
    int exchange(int me, int round, int value)
    {
        Side &mine = side[me];
        Side &theirs = side[1 - me];
        mine.gift[round & 1] = value;
        mine.round.store(round);
        while (theirs.round.load() < round)
            std::this_thread::yield();
        return theirs.gift[round & 1];
    }
};

static Exchanger ex;

static void left()
{
    for (int r = 1; r <= 3; ++r) {
        const int got = ex.exchange(0, r, 100 + r);
        assert(got == 200 + r);
    }
}

static void right()
{
    int sum = 0;
    for (int r = 1; r <= 3; ++r)
        sum += ex.exchange(1, r, 200 + r);
    assert(sum == 306);
    std::printf("sum %d\n", sum);
}

int main()
{
    std::thread a(left), b(right);
    a.join();
    b.join();
    return 0;
}
