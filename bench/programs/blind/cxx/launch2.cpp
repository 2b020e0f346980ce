#include <cassert>
#include <latch>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class Countdown {
public:
    explicit Countdown(int crew) : go_(1), done_(crew) {}

    void report(const std::string& station) {
        go_.wait();
        {
            std::lock_guard<std::mutex> lock(mutex_);
            assert(armed_);
            log_.push_back(station + ": go");
        }
        done_.count_down();
    }

    std::vector<std::string> launch() {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            armed_ = true;
        }
        go_.count_down();
        done_.wait();
        std::lock_guard<std::mutex> lock(mutex_);
        return log_;
    }

private:
    std::latch go_;
    std::latch done_;
    std::mutex mutex_;
    bool armed_ = false;
    std::vector<std::string> log_;
};

int main() {
    Countdown countdown(2);
    std::thread fuel([&] { countdown.report("fuel"); });
    std::thread radio([&] { countdown.report("radio"); });

    std::vector<std::string> log = countdown.launch();

    fuel.join();
    radio.join();

    assert(log.size() == 2);
    assert(log[0] != log[1]);
    assert(log[0] == "fuel: go" || log[0] == "radio: go");
    return 0;
}
