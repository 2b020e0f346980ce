#include <atomic>
#include <cassert>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct Config {
    std::string region;
    int replicas = 0;
};

class Settings {
public:
    Config get() {
        if (!loaded_.load()) {
            std::call_once(once_, [this] { load(); });
        }
        std::lock_guard<std::mutex> lock(mutex_);
        return config_.value();
    }

    int loads() const { return loads_.load(); }

private:
    void load() {
        loaded_.store(true);
        Config fresh{"eu-west", 3};
        std::lock_guard<std::mutex> lock(mutex_);
        config_ = std::move(fresh);
        ++loads_;
    }

    std::once_flag once_;
    std::atomic<bool> loaded_{false};
    std::atomic<int> loads_{0};
    std::mutex mutex_;
    std::optional<Config> config_;
};

int main() {
    Settings settings;
    std::vector<std::thread> clients;
    std::vector<int> replicas(2, 0);

    for (int i = 0; i < 2; ++i) {
        clients.emplace_back([&settings, &replicas, i] {
            Config config = settings.get();
            replicas[i] = config.replicas;
        });
    }
    for (auto& client : clients) {
        client.join();
    }

    assert(settings.loads() == 1);
    for (int count : replicas) {
        assert(count == 3);
    }
    return 0;
}
