#include <cassert>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

class LetterBox {
public:
    void put(std::string letter) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !slot_.has_value(); });
        slot_.emplace(std::move(letter));
        lock.unlock();
        changed_.notify_all();
    }

    std::string take() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return slot_.has_value(); });
        std::string letter = std::move(slot_.value());
        slot_.reset();
        lock.unlock();
        changed_.notify_all();
        return letter;
    }

    bool empty() const {
        std::shared_lock lock(mutex_);
        return !slot_.has_value();
    }

private:
    mutable std::shared_mutex mutex_;
    std::condition_variable_any changed_;
    std::optional<std::string> slot_;
};

int main() {
    LetterBox box;
    std::vector<std::string> read(2);

    std::thread upstairs([&] { read[0] = box.take(); });
    std::thread downstairs([&] { read[1] = box.take(); });

    box.put("bill");
    box.put("card");

    upstairs.join();
    downstairs.join();

    assert(box.empty());
    assert(read[0] != read[1]);
    assert(read[0] == "bill" || read[0] == "card");
    assert(read[1] == "bill" || read[1] == "card");
    return 0;
}
