#include <array>
#include <barrier>
#include <cassert>
#include <cstdio>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>

constexpr int N = 3;
static std::latch started(N);
static std::barrier<> phase(N);
static std::counting_semaphore<2> slots(2);
static std::array<int, N> cur{1, 2, 3};
static std::array<int, N> nxt{};

static void worker(int id)
{
    started.arrive_and_wait();
    for (int r = 0; r < 2; ++r) {
        nxt[id] = cur[(id + 1) % N];
        phase.arrive_and_wait();
        cur[id] = nxt[id];
        phase.arrive_and_wait();
    }
    slots.acquire();
    std::printf("worker %d has %d\n", id, cur[id]);
    slots.release();
}

int main()
{
    std::vector<std::jthread> ts;
    for (int i = 0; i < N; ++i)
        ts.emplace_back(worker, i);
    for (auto &t : ts)
        t.join();
    assert(cur[0] == 3 && cur[1] == 1 && cur[2] == 2);
    return 0;
}
