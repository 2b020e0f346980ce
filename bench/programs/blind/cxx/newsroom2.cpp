#include <atomic>
#include <cassert>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

class Reader {
public:
    explicit Reader(std::string name) : name_(std::move(name)) {}
    void read(int pages) { pages_.fetch_add(pages); }
    int pages() const { return pages_.load(); }

private:
    std::string name_;
    std::atomic<int> pages_{0};
};

class Newsroom {
public:
    void subscribe(int id, std::function<void(int)> callback) {
        std::scoped_lock lock(mutex_);
        readers_[id] = std::move(callback);
    }

    void unsubscribe(int id) {
        std::scoped_lock lock(mutex_);
        readers_.erase(id);
    }

    void publish(int pages) {
        std::vector<std::function<void(int)>> targets;
        {
            std::scoped_lock lock(mutex_);
            for (const auto& entry : readers_) {
                targets.push_back(entry.second);
            }
        }
        for (const auto& target : targets) {
            target(pages);
        }
    }

private:
    std::mutex mutex_;
    std::map<int, std::function<void(int)>> readers_;
};

int main() {
    Newsroom newsroom;
    Reader resident("rosa");
    auto guest = std::make_unique<Reader>("sven");
    newsroom.subscribe(1, [&resident](int pages) { resident.read(pages); });
    newsroom.subscribe(2, [who = guest.get()](int pages) { who->read(pages); });

    std::thread press([&newsroom] { newsroom.publish(8); });
    std::thread desk([&newsroom, &guest] {
        newsroom.unsubscribe(2);
        guest.reset();
    });

    press.join();
    desk.join();
    assert(resident.pages() == 8);
    return 0;
}
