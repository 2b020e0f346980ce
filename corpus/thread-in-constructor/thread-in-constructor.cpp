// A base class starts its thread in its constructor. If the thread is quick, the derived class is not there yet, and the
// call meets the pure virtual function of the base.
#include <atomic>
#include <thread>

class Service {
public:
    Service() : thread_([this] { run(); }) {}
    virtual ~Service() = default;
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
    counter.join();
    return 0;
}
