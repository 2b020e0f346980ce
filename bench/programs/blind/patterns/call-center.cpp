#include <condition_variable>
#include <deque>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

class CallQueue {
public:
    void put(int caller)
    {
        std::lock_guard guard(mutex_);
        calls_.push_back(caller);
        changed_.notify_one();
    }

    void close()
    {
        std::lock_guard guard(mutex_);
        closed_ = true;
        changed_.notify_all();
    }

    std::optional<int> next()
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return closed_ || !calls_.empty(); });
        if (calls_.empty())
            return std::nullopt;
        int caller = calls_.front();
        calls_.pop_front();
        return caller;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<int> calls_;
    bool closed_ = false;
};

int main()
{
    auto queue = std::make_unique<CallQueue>();
    int answered = 0;

    queue->put(555);
    queue->put(777);
    queue->close();

    std::thread agent([&answered, q = queue.get()] {
        while (auto caller = q->next())
            ++answered;
    });
    queue.reset();
    agent.join();

    std::cout << answered << " calls answered\n";
}
