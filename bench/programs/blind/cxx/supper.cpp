#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <semaphore>
#include <thread>
#include <vector>

class Table {
public:
    void eat(std::size_t seat) {
        const std::size_t left = seat;
        const std::size_t right = (seat + 1) % forks_.size();
        std::counting_semaphore<1>& low = forks_[std::min(left, right)];
        std::counting_semaphore<1>& high = forks_[std::max(left, right)];

        low.acquire();
        high.acquire();
        int diners = eating_.fetch_add(1);
        assert(diners == 0);
        meals_.fetch_add(1);
        eating_.fetch_sub(1);
        high.release();
        low.release();
    }

    int meals() const { return meals_.load(); }

private:
    std::array<std::counting_semaphore<1>, 3> forks_{
        std::counting_semaphore<1>(1),
        std::counting_semaphore<1>(1),
        std::counting_semaphore<1>(1),
    };
    std::atomic<int> eating_{0};
    std::atomic<int> meals_{0};
};

int main() {
    Table table;
    std::vector<std::thread> guests;
    for (std::size_t seat = 0; seat < 3; ++seat) {
        guests.emplace_back([&table, seat] { table.eat(seat); });
    }
    for (auto& guest : guests) {
        guest.join();
    }
    assert(table.meals() == 3);
    return 0;
}
