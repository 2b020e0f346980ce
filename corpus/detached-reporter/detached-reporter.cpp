// A monitor detaches the thread that writes its last report, and is destroyed while the thread still runs.
#include <memory>
#include <thread>

class Monitor {
public:
    void watch() {
        std::thread([this] { last_report_ = 1; }).detach();
    }

private:
    int last_report_ = 0;
};

int main() {
    auto monitor = std::make_unique<Monitor>();
    monitor->watch();
    monitor.reset();
    return 0;
}
