#include <cassert>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

class Atlas {
public:
    int altitude(const std::string& city) {
        std::call_once(seeded_, [this] { seed(); });
        if (std::optional<int> known = find(city)) {
            return *known;
        }
        int metres = survey(city);
        std::lock_guard<std::mutex> lock(mutex_);
        bool inserted = table_.emplace(city, metres).second;
        assert(inserted);
        return metres;
    }

private:
    void seed() {
        std::lock_guard<std::mutex> lock(mutex_);
        table_.emplace("quito", 2850);
    }

    std::optional<int> find(const std::string& city) {
        std::lock_guard<std::mutex> lock(mutex_);
        auto it = table_.find(city);
        if (it == table_.end()) {
            return std::nullopt;
        }
        return it->second;
    }

    static int survey(const std::string& city) {
        return static_cast<int>(city.size()) * 100;
    }

    std::once_flag seeded_;
    std::mutex mutex_;
    std::map<std::string, int> table_;
};

int main() {
    Atlas atlas;
    auto first = std::async(std::launch::async, [&atlas] { return atlas.altitude("bern"); });
    auto second = std::async(std::launch::async, [&atlas] { return atlas.altitude("bern"); });

    int quito = atlas.altitude("quito");
    assert(quito == 2850);
    assert(first.get() == 400);
    assert(second.get() == 400);
    return 0;
}
