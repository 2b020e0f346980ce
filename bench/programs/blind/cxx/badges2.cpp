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
        if (int known = lookup(name); known != 0) {
            return known;
        }
        std::unique_lock lock(mutex_);
        auto [it, inserted] = badges_.try_emplace(name, next_);
        if (inserted) {
            ++next_;
        }
        return it->second;
    }

    int lookup(const std::string& name) const {
        std::shared_lock lock(mutex_);
        auto it = badges_.find(name);
        return it == badges_.end() ? 0 : it->second;
    }

private:
    mutable std::shared_mutex mutex_;
    std::unordered_map<std::string, int> badges_;
    int next_ = 100;
};

int main() {
    BadgeDesk desk;
    std::latch doors(2);
    std::vector<int> numbers(2, 0);

    auto gate = [&](int index) {
        doors.arrive_and_wait();
        numbers[index] = desk.issue("grace");
    };

    std::thread north(gate, 0);
    std::thread south(gate, 1);

    int seen = desk.lookup("grace");
    assert(seen == 0 || seen == 100);

    north.join();
    south.join();
    assert(numbers[0] == 100);
    assert(numbers[1] == 100);
    assert(desk.issue("alan") == 101);
    return 0;
}
