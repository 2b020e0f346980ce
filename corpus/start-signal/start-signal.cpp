// A worker waits for the starting signal without asking whether it was given already. A signal that comes first is lost.
#include <condition_variable>
#include <mutex>
#include <thread>

class Gate {
public:
    void pass() {
        std::unique_lock<std::mutex> guard(lock_);
        opened_.wait(guard);
    }
    void open() { opened_.notify_all(); }

private:
    std::mutex lock_;
    std::condition_variable opened_;
};

int main() {
    Gate gate;
    std::thread worker([&gate] { gate.pass(); });
    gate.open();
    worker.join();
    return 0;
}
