// Phased prefix sums over a tiny vector.
#include <array>
#include <atomic>
#include <cassert>
#include <cstdio>
#include <thread>
#include <vector>

class SpinBarrier {
public:
    explicit SpinBarrier(int n) : parties_(n), left_(n), sense_(false) {}

    void arrive_and_wait(bool &local)
    {
        local = !local;
        if (left_.fetch_sub(1) == 1) {
            left_.store(parties_);
            sense_.store(local);
        } else {
            while (sense_.load() != local)
                std::this_thread::yield();
        }
    }

private:
    const int parties_;
    std::atomic<int> left_;
    std::atomic<bool> sense_;
};

constexpr int N = 4;
static std::array<int, N> data{1, 2, 3, 4};
static std::array<int, N> tmp{};
static SpinBarrier barrier(N);

static void scan(int id)
{
    bool sense = false;
    // inclusive scan, distances 1 and 2
    int v = data[id];
    if (id >= 1)
        v += data[id - 1];
    tmp[id] = v;
    barrier.arrive_and_wait(sense);
    v = tmp[id];
    if (id >= 2)
        v += tmp[id - 2];
    barrier.arrive_and_wait(sense);
    data[id] = v;
    barrier.arrive_and_wait(sense);
    assert(data[N - 1] == 10);
}

int main()
{
    std::vector<std::thread> ts;
    for (int i = 0; i < N; ++i)
        ts.emplace_back(scan, i);
    for (auto &t : ts)
        t.join();
    assert(data[0] == 1 && data[1] == 3 && data[2] == 6 && data[3] == 10);
    std::printf("ok %d\n", data[3]);
}
