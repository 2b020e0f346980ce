#include <cassert>
#include <future>
#include <iostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct Report {
    std::string sky;
    int degrees;
};

class Station {
public:
    Station() : forecast_(promise_.get_future().share()) {}

    std::shared_future<Report> forecast() const { return forecast_; }

    void announce(Report report) { promise_.set_value(std::move(report)); }

private:
    std::promise<Report> promise_;
    std::shared_future<Report> forecast_;
};

int main() {
    Station station;
    std::vector<int> shown(2, 0);

    std::thread radio([&shown, forecast = station.forecast()] {
        shown[0] = forecast.get().degrees;
    });
    std::thread tv([&shown, forecast = station.forecast()] {
        const Report& report = forecast.get();
        assert(report.sky == "clear");
        shown[1] = report.degrees;
    });
    std::future<std::string> paper =
        std::async(std::launch::async, [forecast = station.forecast()] {
            return forecast.get().sky + " skies";
        });

    station.announce(Report{"clear", 21});

    radio.join();
    tv.join();
    std::string headline = paper.get();

    assert(shown[0] == 21 && shown[1] == 21);
    assert(headline == "clear skies");
    std::cout << headline << '\n';
    return 0;
}
