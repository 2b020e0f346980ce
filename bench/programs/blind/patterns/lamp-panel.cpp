#include <atomic>
#include <cassert>
#include <cstdio>
#include <thread>
#include <vector>

class LampPanel {
public:
    void switch_on(unsigned lamp)
    {
        unsigned lit = lit_.load();
        lit_.store(lit | (1u << lamp));
    }

    unsigned lit() const { return lit_.load(); }

private:
    std::atomic<unsigned> lit_{0};
};

constexpr unsigned kFloors = 3;

void janitor(LampPanel& panel, unsigned floor)
{
    panel.switch_on(floor);
}

unsigned count_bits(unsigned bits)
{
    unsigned n = 0;
    for (; bits != 0; bits &= bits - 1)
        ++n;
    return n;
}

int main()
{
    LampPanel panel;
    std::vector<std::thread> janitors;

    for (unsigned floor = 0; floor < kFloors; ++floor)
        janitors.emplace_back(janitor, std::ref(panel), floor);
    for (auto& j : janitors)
        j.join();

    unsigned lamps = count_bits(panel.lit());
    std::printf("%u of %u lamps lit\n", lamps, kFloors);
    assert(lamps == kFloors);
}
