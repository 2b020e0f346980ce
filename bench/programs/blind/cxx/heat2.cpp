#include <atomic>
#include <barrier>
#include <cassert>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

class Grid {
public:
    explicit Grid(std::size_t cells) : cells_(cells), sync_(static_cast<std::ptrdiff_t>(cells)) {}

    void publish(std::size_t cell, int value) {
        cells_[cell].store(value);
        sync_.arrive_and_wait();
    }

    int peek(std::size_t cell) const { return cells_[cell].load(); }

    std::size_t size() const { return cells_.size(); }

private:
    std::vector<std::atomic<int>> cells_;
    std::barrier<> sync_;
};

void simulate(Grid& grid, std::size_t cell) {
    const std::size_t neighbour = (cell + 1) % grid.size();
    for (int step = 1; step <= 2; ++step) {
        grid.publish(cell, step * 10);
        int seen = grid.peek(neighbour);
        assert(seen == step * 10);
    }
}

int main() {
    Grid grid(2);
    std::vector<std::thread> workers;
    for (std::size_t cell = 0; cell < grid.size(); ++cell) {
        workers.emplace_back(simulate, std::ref(grid), cell);
    }
    for (auto& worker : workers) {
        worker.join();
    }
    for (std::size_t cell = 0; cell < grid.size(); ++cell) {
        assert(grid.peek(cell) == 20);
    }
    return 0;
}
