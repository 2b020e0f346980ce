#include <cassert>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

class Lighthouse {
public:
    using Hook = std::stop_callback<std::function<void()>>;

    void watch(std::stop_token dawn) {
        std::optional<Hook> hook;
        hook.emplace(dawn, [this] { note("dawn"); });
        note("watch begins");

        std::lock_guard<std::mutex> lock(mutex_);
        log_.push_back("watch ends");
        hook.reset();
    }

    void note(const std::string& line) {
        std::lock_guard<std::mutex> lock(mutex_);
        log_.push_back(line);
    }

    std::vector<std::string> log() {
        std::lock_guard<std::mutex> lock(mutex_);
        return log_;
    }

private:
    std::mutex mutex_;
    std::vector<std::string> log_;
};

int main() {
    Lighthouse house;
    std::stop_source sun;

    std::thread keeper([&house, token = sun.get_token()] { house.watch(token); });
    std::thread ship([&house] { house.note("ship passed"); });

    sun.request_stop();

    keeper.join();
    ship.join();
    std::vector<std::string> log = house.log();
    assert(log.size() >= 3);
    assert(log.size() <= 4);
    return 0;
}
