#include <cassert>
#include <latch>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

class BadgeDesk {
public:
    int issue(const std::string& name) {
        {
            std::shared_lock<std::shared_mutex> lock(mutex_);
            auto it = badges_.find(name);
            if (it != badges_.end()) {
                return it->second;
            }
        }
        std::unique_lock<std::shared_mutex> lock(mutex_);
        int number = next_++;
        badges_[name] = number;
        return number;
    }

    std::size_t issued() const {
        std::shared_lock<std::shared_mutex> lock(mutex_);
        return badges_.size();
    }

private:
    mutable std::shared_mutex mutex_;
    std::unordered_map<std::string, int> badges_;
    int next_ = 100;
};

int main() {
    BadgeDesk desk;
    std::latch doors(1);
    std::vector<int> numbers(2, 0);

    std::vector<std::thread> gates;
    for (int gate = 0; gate < 2; ++gate) {
        gates.emplace_back([&desk, &doors, &numbers, gate] {
            doors.wait();
            numbers[gate] = desk.issue("grace");
        });
    }

    doors.count_down();
    for (auto& gate : gates) {
        gate.join();
    }
    assert(desk.issued() == 1);
    assert(numbers[0] == numbers[1]);
    return 0;
}
