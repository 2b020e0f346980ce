#include <atomic>
#include <cassert>
#include <thread>

struct RoomKey {
    std::atomic<int> guest{0};
    int depth = 0;

    void enter(int who)
    {
        if (guest.load() == who) {
            ++depth;
            return;
        }
        for (;;) {
            int nobody = 0;
            if (guest.compare_exchange_weak(nobody, who))
                break;
            std::this_thread::yield();
        }
        depth = 1;
    }

    void leave()
    {
        if (--depth == 0)
            guest.store(0);
    }
};

static RoomKey room;
static int minibar = 100;
static int log_lines;

static void write_log(int who)
{
    room.enter(who);
    ++log_lines;
    room.leave();
}

static void stay(int who)
{
    for (int night = 0; night < 3; ++night) {
        room.enter(who);
        int had = minibar;
        write_log(who);
        minibar = had - 2;
        room.leave();
    }
}

int main()
{
    std::thread a(stay, 1), b(stay, 2), c(stay, 3);
    a.join();
    b.join();
    c.join();
    assert(minibar == 100 - 18);
    assert(log_lines == 9);
}
