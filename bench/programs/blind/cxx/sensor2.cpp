#include <cassert>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <stop_token>
#include <thread>
#include <vector>

class Sensor {
public:
    void report(int reading) {
        {
            std::lock_guard lock(mutex_);
            readings_.push(reading);
        }
        changed_.notify_one();
    }

    void consume(std::stop_token stop) {
        std::unique_lock lock(mutex_);
        while (changed_.wait(lock, stop, [this] { return !readings_.empty(); })) {
            seen_.push_back(readings_.front());
            readings_.pop();
        }
    }

    std::vector<int> seen() {
        std::lock_guard lock(mutex_);
        return seen_;
    }

private:
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::queue<int> readings_;
    std::vector<int> seen_;
};

int main() {
    Sensor sensor;
    std::jthread consumer([&sensor](std::stop_token stop) {
        sensor.consume(stop);
    });
    std::jthread probe([&sensor] {
        sensor.report(4);
        sensor.report(5);
    });

    probe.join();
    consumer.request_stop();
    consumer.join();

    std::vector<int> seen = sensor.seen();
    assert(seen.size() == 2);
    assert(seen[0] == 4 && seen[1] == 5);
    return 0;
}
