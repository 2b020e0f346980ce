#include <atomic>
#include <cassert>
#include <iostream>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class BoxOffice {
public:
    explicit BoxOffice(int seats) : seats_(seats) {}

    bool sell(const std::string& customer) {
        int left = seats_.load();
        do {
            if (left == 0) {
                return false;
            }
        } while (!seats_.compare_exchange_strong(left, left - 1));
        assert(left > 0);
        std::lock_guard<std::mutex> lock(mutex_);
        guests_.push_back(customer);
        return true;
    }

    int seats() const { return seats_.load(); }

    std::size_t guest_count() {
        std::lock_guard<std::mutex> lock(mutex_);
        return guests_.size();
    }

private:
    std::atomic<int> seats_;
    std::mutex mutex_;
    std::list<std::string> guests_;
};

int main() {
    BoxOffice office(2);
    std::atomic<int> refused{0};
    const std::vector<std::string> names{"eve", "finn", "gus"};

    {
        std::vector<std::jthread> customers;
        for (const auto& name : names) {
            customers.emplace_back([&office, &refused, &name] {
                if (!office.sell(name)) {
                    refused.fetch_add(1);
                }
            });
        }
    }

    assert(office.seats() == 0);
    assert(office.guest_count() == 2);
    assert(refused.load() == 1);
    std::cout << "sold out\n";
    return 0;
}
