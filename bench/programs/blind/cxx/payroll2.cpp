#include <cassert>
#include <future>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

struct Timesheet {
    std::string employee;
    std::vector<int> hours;
};

class Payroll {
public:
    std::future<int> start(std::unique_ptr<Timesheet> sheet) {
        return std::async(std::launch::async, [this, sheet = std::move(sheet)] {
            int hours = std::accumulate(sheet->hours.begin(), sheet->hours.end(), 0);
            std::lock_guard<std::mutex> lock(mutex_);
            paid_.push_back(sheet->employee);
            return hours;
        });
    }

    std::vector<std::string> paid() {
        std::lock_guard<std::mutex> lock(mutex_);
        return paid_;
    }

private:
    std::mutex mutex_;
    std::vector<std::string> paid_;
};

int main() {
    Payroll payroll;

    auto first = std::make_unique<Timesheet>(Timesheet{"ida", {6, 7, 8}});
    auto second = std::make_unique<Timesheet>(Timesheet{"jon", {3, 4}});

    std::future<int> ida = payroll.start(std::move(first));
    std::future<int> jon = payroll.start(std::move(second));
    assert(first == nullptr);

    assert(payroll.paid().size() <= 2);

    int total = ida.get() + jon.get();
    assert(total == 28);

    std::vector<std::string> names = payroll.paid();
    assert(names.size() == 2);
    assert(names[0] != names[1]);
    return 0;
}
