#include <atomic>
#include <cassert>
#include <condition_variable>
#include <functional>
#include <iostream>
#include <mutex>
#include <queue>
#include <thread>
#include <utility>
#include <vector>

class Kitchen {
public:
    explicit Kitchen(int cooks) {
        for (int i = 0; i < cooks; ++i) {
            cooks_.emplace_back([this] { work(); });
        }
    }

    ~Kitchen() {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            closing_ = true;
        }
        wake_.notify_all();
        for (auto& cook : cooks_) {
            cook.join();
        }
    }

    void submit(std::function<void()> dish) {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            dishes_.push(std::move(dish));
        }
        wake_.notify_one();
    }

private:
    void work() {
        for (;;) {
            std::function<void()> dish;
            {
                std::unique_lock<std::mutex> lock(mutex_);
                wake_.wait(lock, [this] { return closing_ || !dishes_.empty(); });
                if (dishes_.empty()) {
                    return;
                }
                dish = std::move(dishes_.front());
                dishes_.pop();
            }
            dish();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    bool closing_ = false;
    std::queue<std::function<void()>> dishes_;
    std::vector<std::thread> cooks_;
};

int main() {
    std::atomic<int> served{0};
    {
        Kitchen kitchen(2);
        kitchen.submit([&served] { served += 1; });
        kitchen.submit([&served] { served += 10; });
    }
    assert(served.load() == 11);
    std::cout << "served " << served.load() << '\n';
    return 0;
}
