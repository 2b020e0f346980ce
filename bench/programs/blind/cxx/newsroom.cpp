#include <atomic>
#include <cassert>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

struct Reader {
    std::atomic<int> pages{0};
};

class Newsroom {
public:
    using Callback = std::function<void(int)>;

    int subscribe(Callback callback) {
        std::lock_guard lock(mutex_);
        int id = next_id_++;
        readers_.emplace(id, std::move(callback));
        return id;
    }

    void unsubscribe(int id) {
        std::lock_guard lock(mutex_);
        readers_.erase(id);
    }

    void publish(int pages) {
        std::vector<Callback> targets;
        {
            std::lock_guard lock(mutex_);
            for (const auto& [id, callback] : readers_) {
                targets.push_back(callback);
            }
        }
        for (const auto& target : targets) {
            target(pages);
        }
    }

private:
    std::mutex mutex_;
    std::map<int, Callback> readers_;
    int next_id_ = 1;
};

int main() {
    Newsroom newsroom;
    auto resident = std::make_shared<Reader>();
    newsroom.subscribe([resident](int pages) { resident->pages += pages; });

    std::thread press([&newsroom] { newsroom.publish(8); });
    std::thread guest([&newsroom] {
        auto reader = std::make_shared<Reader>();
        int id = newsroom.subscribe([reader](int pages) { reader->pages += pages; });
        newsroom.unsubscribe(id);
        int read = reader->pages.load();
        assert(read == 0 || read == 8);
        reader.reset();
    });

    press.join();
    guest.join();
    assert(resident->pages.load() == 8);
    return 0;
}
