#include <atomic>
#include <cassert>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class BoxOffice {
public:
    explicit BoxOffice(int seats) : seats_(seats) {}

    bool sell(const std::string& customer) {
        if (seats_.load() == 0) {
            return false;
        }
        int before = seats_.fetch_sub(1);
        assert(before > 0);
        std::lock_guard<std::mutex> lock(mutex_);
        guests_.push_back(customer);
        return true;
    }

    int seats() const { return seats_.load(); }

    std::list<std::string> guests() {
        std::lock_guard<std::mutex> lock(mutex_);
        return guests_;
    }

private:
    std::atomic<int> seats_;
    std::mutex mutex_;
    std::list<std::string> guests_;
};

int main() {
    BoxOffice office(2);
    const std::vector<std::string> names{"eve", "finn", "gus"};

    {
        std::vector<std::jthread> customers;
        for (const auto& name : names) {
            customers.emplace_back([&office, &name] { office.sell(name); });
        }
    }

    assert(office.seats() == 0);
    assert(office.guests().size() == 2);
    return 0;
}
