#include <atomic>
#include <cassert>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

class Forecast {
public:
    explicit Forecast(std::future<std::string> source) : source_(std::move(source)) {}

    bool pending() {
        std::lock_guard<std::mutex> lock(mutex_);
        return source_.valid();
    }

    std::string fetch() {
        std::lock_guard<std::mutex> lock(mutex_);
        text_ = source_.get();
        return text_;
    }

    std::string last() {
        std::lock_guard<std::mutex> lock(mutex_);
        return text_;
    }

private:
    std::mutex mutex_;
    std::future<std::string> source_;
    std::string text_;
};

int main() {
    std::promise<std::string> station;
    Forecast forecast(station.get_future());
    std::atomic<int> broadcasts{0};

    auto channel = [&forecast, &broadcasts] {
        std::string text = forecast.pending() ? forecast.fetch() : forecast.last();
        if (text == "rain") {
            broadcasts.fetch_add(1);
        }
    };

    std::thread radio(channel);
    std::thread tv(channel);

    station.set_value("rain");

    radio.join();
    tv.join();
    assert(broadcasts.load() == 2);
    return 0;
}
