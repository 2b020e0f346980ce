#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

class ParcelBox {
    std::atomic<int> word{0};

public:
    void open()
    {
        int seen = 0;
        while (!word.compare_exchange_strong(seen, 1))
            std::this_thread::yield();
    }

    void shut() { word.store(0); }
};

static ParcelBox box;
static int parcels;
static int holder;

static void courier(int id)
{
    for (int i = 0; i < 3; ++i) {
        box.open();
        holder = id;
        parcels = parcels + 1;
        assert(holder == id);
        box.shut();
    }
}

int main()
{
    std::vector<std::thread> team;
    for (int id = 1; id <= 3; ++id)
        team.emplace_back(courier, id);
    for (auto &t : team)
        t.join();
    assert(parcels == 9);
}
