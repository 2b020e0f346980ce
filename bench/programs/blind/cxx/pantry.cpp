#include <atomic>
#include <cassert>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

class Pantry {
public:
    void put(const std::string& item, int amount) {
        std::scoped_lock lock(mutex_);
        stock_[item] += amount;
    }

    bool has(const std::string& item) {
        std::scoped_lock lock(mutex_);
        return stock_.contains(item);
    }

    int take(const std::string& item) {
        std::scoped_lock lock(mutex_);
        int& amount = stock_.at(item);
        int left = --amount;
        if (left == 0) {
            stock_.erase(item);
        }
        return left;
    }

private:
    std::mutex mutex_;
    std::unordered_map<std::string, int> stock_;
};

int main() {
    Pantry pantry;
    pantry.put("flour", 1);
    pantry.put("salt", 2);
    std::atomic<int> taken{0};

    std::vector<std::jthread> cooks;
    for (const char* item : {"flour", "flour"}) {
        cooks.emplace_back([&pantry, &taken, item] {
            if (pantry.has(item)) {
                pantry.take(item);
                taken.fetch_add(1);
            }
        });
    }
    int salt = pantry.take("salt");
    assert(salt == 1);

    cooks.clear();
    assert(taken.load() == 1);
    assert(!pantry.has("flour"));
    return 0;
}
