#include <cassert>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class OrderQueue {
public:
    explicit OrderQueue(std::size_t capacity) : capacity_(capacity) {}

    void push(int order) {
        std::unique_lock<std::mutex> lock(mutex_);
        while (orders_.size() == capacity_) {
            not_full_.wait(lock);
        }
        assert(orders_.size() < capacity_);
        orders_.push(order);
        lock.unlock();
        not_empty_.notify_one();
    }

    int pop() {
        std::unique_lock<std::mutex> lock(mutex_);
        while (orders_.empty()) {
            not_empty_.wait(lock);
        }
        assert(!orders_.empty());
        int order = orders_.front();
        orders_.pop();
        lock.unlock();
        not_full_.notify_one();
        return order;
    }

private:
    const std::size_t capacity_;
    std::mutex mutex_;
    std::condition_variable not_empty_;
    std::condition_variable not_full_;
    std::queue<int> orders_;
};

int main() {
    OrderQueue queue(2);
    std::vector<int> totals(2, 0);

    auto waiter = [&queue](int first) {
        queue.push(first);
        queue.push(first + 1);
    };
    auto cook = [&queue, &totals](int id) {
        for (int i = 0; i < 2; ++i) {
            totals[id] += queue.pop();
        }
    };

    std::vector<std::thread> staff;
    staff.emplace_back(waiter, 1);
    staff.emplace_back(waiter, 3);
    staff.emplace_back(cook, 0);
    staff.emplace_back(cook, 1);
    for (auto& t : staff) {
        t.join();
    }
    assert(totals[0] + totals[1] == 10);
    return 0;
}
