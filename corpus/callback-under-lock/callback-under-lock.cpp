// A thermostat calls its listener while it holds the lock. A listener that reads the temperature again waits for itself;
// whether it is there in time depends on the order.
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
        std::lock_guard<std::mutex> guard(lock_);
        temperature_ = temperature;
        if (listener_) {
            listener_();
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
