#include <cassert>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

class MailRoom {
public:
    void deliver(const std::string& name, std::string letter) {
        {
            std::lock_guard lock(mutex_);
            boxes_[name].push_back(std::move(letter));
        }
        arrived_.notify_all();
    }

    std::string collect(const std::string& name) {
        std::unique_lock lock(mutex_);
        arrived_.wait(lock, [this, &name] { return !boxes_[name].empty(); });
        std::string letter = std::move(boxes_[name].front());
        boxes_[name].pop_front();
        return letter;
    }

    bool idle() {
        std::lock_guard lock(mutex_);
        for (const auto& [name, letters] : boxes_) {
            if (!letters.empty()) {
                return false;
            }
        }
        return true;
    }

private:
    std::mutex mutex_;
    std::condition_variable_any arrived_;
    std::map<std::string, std::deque<std::string>> boxes_;
};

int main() {
    MailRoom room;

    std::thread ann([&room] {
        std::string letter = room.collect("ann");
        assert(letter == "invoice");
    });
    std::thread bob([&room] {
        std::string letter = room.collect("bob");
        assert(letter == "postcard");
    });

    room.deliver("ann", "invoice");
    room.deliver("bob", "postcard");

    ann.join();
    bob.join();
    assert(room.idle());
    return 0;
}
