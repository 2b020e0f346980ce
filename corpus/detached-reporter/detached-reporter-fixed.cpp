// A monitor waits for its thread before it goes away.
#include <memory>
#include <thread>

class Monitor {
public:
    ~Monitor() { thread_.join(); }
    void watch() {
        thread_ = std::thread([this] { last_report_ = 1; });
    }

private:
    int last_report_ = 0;
    std::thread thread_;
};

int main() {
    auto monitor = std::make_unique<Monitor>();
    monitor->watch();
    monitor.reset();
    return 0;
}
