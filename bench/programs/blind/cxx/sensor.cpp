#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <stop_token>
#include <thread>

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
        for (;;) {
            changed_.wait(lock, [this, &stop] {
                return !readings_.empty() || stop.stop_requested();
            });
            if (readings_.empty()) {
                break;
            }
            total_ += readings_.front();
            readings_.pop();
        }
    }

    int total() const { return total_.load(); }

private:
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::queue<int> readings_;
    std::atomic<int> total_{0};
};

int main() {
    Sensor sensor;
    std::jthread consumer([&sensor](std::stop_token stop) {
        sensor.consume(stop);
    });
    std::jthread probe([&sensor] {
        sensor.report(4);
    });

    probe.join();
    consumer.request_stop();
    consumer.join();

    assert(sensor.total() == 4);
    return 0;
}
