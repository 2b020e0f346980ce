#include <cassert>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

class LetterBox {
public:
    bool put(std::string letter) {
        std::unique_lock<std::shared_mutex> lock(mutex_);
        if (slot_) {
            return false;
        }
        slot_ = std::move(letter);
        return true;
    }

    bool has_mail() const {
        std::shared_lock<std::shared_mutex> lock(mutex_);
        return slot_.has_value();
    }

    std::string take() {
        std::unique_lock<std::shared_mutex> lock(mutex_);
        std::string letter = std::move(slot_.value());
        slot_.reset();
        return letter;
    }

private:
    mutable std::shared_mutex mutex_;
    std::optional<std::string> slot_;
};

int main() {
    LetterBox box;
    std::vector<std::string> read(2);

    std::vector<std::thread> tenants;
    for (std::size_t i = 0; i < read.size(); ++i) {
        tenants.emplace_back([&box, &read, i] {
            if (box.has_mail()) {
                read[i] = box.take();
            }
        });
    }

    bool stored = box.put("a letter from the coast");
    assert(stored);

    for (auto& tenant : tenants) {
        tenant.join();
    }
    assert(read[0].empty() || read[1].empty());
    return 0;
}
