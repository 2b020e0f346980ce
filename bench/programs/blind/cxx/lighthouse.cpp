#include <cassert>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

class Lighthouse {
public:
    void keep(std::stop_token dawn, std::string keeper) {
        std::stop_callback on_dawn(dawn, [this] {
            {
                std::lock_guard<std::mutex> lock(mutex_);
                lamp_ = false;
            }
            changed_.notify_all();
        });
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [this] { return !lamp_; });
        log_.push_back(std::move(keeper));
    }

    bool lit() {
        std::lock_guard<std::mutex> lock(mutex_);
        return lamp_;
    }

    std::vector<std::string> log() {
        std::lock_guard<std::mutex> lock(mutex_);
        return log_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool lamp_ = true;
    std::vector<std::string> log_;
};

int main() {
    Lighthouse house;
    std::stop_source dawn;

    std::thread first([&] { house.keep(dawn.get_token(), "olaf"); });
    std::thread second([&] { house.keep(dawn.get_token(), "pia"); });

    bool requested = dawn.request_stop();
    assert(requested);

    first.join();
    second.join();
    assert(!house.lit());
    std::vector<std::string> log = house.log();
    assert(log.size() == 2);
    assert(log[0] != log[1]);
    return 0;
}
