// A thermostat calls its listener after it has released the lock.
#include <functional>
#include <mutex>
#include <thread>

class Thermostat {
public:
    void listen(std::function<void()> listener) {
        std::lock_guard<std::mutex> guard(lock_);
        listener_ = std::move(listener);
    }
    int temperature() {
        std::lock_guard<std::mutex> guard(lock_);
        return temperature_;
    }
    void set(int temperature) {
        std::unique_lock<std::mutex> guard(lock_);
        temperature_ = temperature;
        std::function<void()> listener = listener_;
        guard.unlock();
        if (listener) {
            listener();
        }
    }

private:
    std::mutex lock_;
    int temperature_ = 20;
    std::function<void()> listener_;
};

int main() {
    Thermostat thermostat;
    std::thread sensor([&thermostat] { thermostat.set(21); });
    thermostat.listen([&thermostat] { thermostat.temperature(); });
    sensor.join();
    return 0;
}
