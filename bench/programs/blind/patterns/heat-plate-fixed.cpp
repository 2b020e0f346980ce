#include <array>
#include <atomic>
#include <barrier>
#include <cassert>
#include <iostream>
#include <thread>
#include <vector>

constexpr int kCells = 2;

struct Plate {
    std::array<std::atomic<int>, kCells> heat{10, 20};
    std::array<int, kCells> mean{};
    std::barrier<> heated{kCells};
};

void heat_cell(Plate& plate, int cell)
{
    plate.heat[cell] += 100;
}

void smooth_cell(Plate& plate, int cell)
{
    int sum = 0;
    for (const auto& h : plate.heat)
        sum += h.load();
    plate.mean[cell] = sum / kCells;
}

void work(Plate& plate, int cell)
{
    heat_cell(plate, cell);
    plate.heated.arrive_and_wait();
    smooth_cell(plate, cell);
}

int main()
{
    Plate plate;
    std::vector<std::thread> workers;

    for (int cell = 0; cell < kCells; ++cell)
        workers.emplace_back(work, std::ref(plate), cell);
    for (auto& w : workers)
        w.join();

    for (int m : plate.mean) {
        std::cout << "mean " << m << '\n';
        assert(m == 115);
    }
}
