#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <mutex>
#include <semaphore>
#include <thread>
#include <vector>

class Garage {
public:
    std::size_t enter() {
        spaces_.acquire();
        std::scoped_lock lock(mutex_);
        for (std::size_t i = 0; i < taken_.size(); ++i) {
            if (!taken_[i]) {
                taken_[i] = true;
                return i;
            }
        }
        assert(false && "admitted without a space");
        return taken_.size();
    }

    void leave(std::size_t slot) {
        {
            std::scoped_lock lock(mutex_);
            assert(taken_[slot]);
            taken_[slot] = false;
        }
        spaces_.release();
    }

private:
    std::counting_semaphore<2> spaces_{2};
    std::mutex mutex_;
    std::array<bool, 2> taken_{false, false};
};

int main() {
    Garage garage;
    std::atomic<int> inside{0};

    std::vector<std::thread> cars;
    for (int i = 0; i < 3; ++i) {
        cars.emplace_back([&garage, &inside] {
            std::size_t slot = garage.enter();
            int others = inside.fetch_add(1);
            assert(others < 2);
            inside.fetch_sub(1);
            garage.leave(slot);
        });
    }
    for (auto& car : cars) {
        car.join();
    }
    assert(inside.load() == 0);
    return 0;
}
