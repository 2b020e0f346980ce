#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>

class Harvest {
    std::atomic<int> fields_left;

public:
    explicit Harvest(int fields) : fields_left(fields) {}

    void field_done() { fields_left.fetch_sub(1, std::memory_order_acq_rel); }

    void wait_all() const
    {
        using namespace std::chrono_literals;
        auto pause = 1us;
        while (fields_left.load(std::memory_order_acquire) > 0) {
            std::this_thread::sleep_for(pause);
            if (pause < 128us)
                pause *= 2;
        }
    }
};

static Harvest autumn(2);
static int grain[2];

static void reaper(int field)
{
    grain[field] = 7 + field;
    autumn.field_done();
}

static void miller()
{
    autumn.wait_all();
    assert(grain[0] + grain[1] == 15);
}

int main()
{
    std::thread m(miller), a(reaper, 0), b(reaper, 1);
    a.join();
    b.join();
    m.join();
}
