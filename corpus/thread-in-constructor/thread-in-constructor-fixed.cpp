// A service has a function that starts its thread, to be called when the object is whole.
#include <atomic>
#include <thread>

class Service {
public:
    virtual ~Service() = default;
    void start() {
        thread_ = std::thread([this] { run(); });
    }
    void join() { thread_.join(); }

protected:
    virtual void run() = 0;

private:
    std::thread thread_;
};

class Counter : public Service {
public:
    std::atomic<int> ticks{0};

protected:
    void run() override { ticks++; }
};

int main() {
    Counter counter;
    counter.start();
    counter.join();
    return 0;
}
