// A worker waits until the gate is open, and the gate remembers that it is.
#include <condition_variable>
#include <mutex>
#include <thread>

class Gate {
public:
    void pass() {
        std::unique_lock<std::mutex> guard(lock_);
        opened_.wait(guard, [this] { return is_open_; });
    }
    void open() {
        std::lock_guard<std::mutex> guard(lock_);
        is_open_ = true;
        opened_.notify_all();
    }

private:
    std::mutex lock_;
    std::condition_variable opened_;
    bool is_open_ = false;
};

int main() {
    Gate gate;
    std::thread worker([&gate] { gate.pass(); });
    gate.open();
    worker.join();
    return 0;
}
