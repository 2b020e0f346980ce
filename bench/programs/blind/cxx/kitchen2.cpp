#include <atomic>
#include <cassert>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <utility>
#include <vector>

class Kitchen {
public:
    Kitchen() {
        for (int i = 0; i < 2; ++i) {
            cooks_.emplace_back(&Kitchen::work, this);
        }
    }

    ~Kitchen() {
        closing_.store(true);
        wake_.notify_all();
        for (auto& cook : cooks_) {
            cook.join();
        }
    }

    void submit(std::function<int()> dish) {
        std::lock_guard<std::mutex> lock(mutex_);
        dishes_.push(std::move(dish));
        wake_.notify_one();
    }

    int served() const { return served_.load(); }

private:
    void work() {
        std::unique_lock<std::mutex> lock(mutex_);
        while (true) {
            while (dishes_.empty() && !closing_.load()) {
                wake_.wait(lock);
            }
            if (dishes_.empty()) {
                return;
            }
            auto dish = std::move(dishes_.front());
            dishes_.pop();
            lock.unlock();
            served_.fetch_add(dish());
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::atomic<bool> closing_{false};
    std::atomic<int> served_{0};
    std::queue<std::function<int()>> dishes_;
    std::vector<std::thread> cooks_;
};

int main() {
    Kitchen kitchen;
    kitchen.submit([] { return 1; });
    assert(kitchen.served() <= 1);
    return 0;
}
