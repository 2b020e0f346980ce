#include <cassert>
#include <numeric>
#include <thread>
#include <vector>

static void add_part(const std::vector<int> &all, std::size_t from, std::size_t to, long &out)
{
    out = std::accumulate(all.begin() + from, all.begin() + to, 0L);
}

int main()
{
    std::vector<int> all(300);
    std::iota(all.begin(), all.end(), 1);

    long part[3] = {0, 0, 0};
    std::vector<std::thread> team;
    for (std::size_t i = 0; i < 3; ++i)
        team.emplace_back(add_part, std::cref(all), i * 100, (i + 1) * 100, std::ref(part[i]));
    for (auto &t : team)
        t.join();

    long sum = part[0] + part[1] + part[2];
    assert(sum == 300L * 301 / 2);
}
