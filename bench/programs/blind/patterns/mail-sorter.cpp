#include <cassert>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <vector>

class MailBag {
public:
    void drop(std::string letter)
    {
        std::lock_guard guard(mutex_);
        letters_.push(std::move(letter));
        arrived_.notify_all();
    }

    std::string take()
    {
        std::unique_lock lock(mutex_);
        if (letters_.empty())
            arrived_.wait(lock);
        assert(!letters_.empty());
        std::string letter = std::move(letters_.front());
        letters_.pop();
        return letter;
    }

private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::queue<std::string> letters_;
};

int main()
{
    MailBag bag;
    std::vector<std::string> sorted(2);
    std::vector<std::thread> sorters;

    for (auto& slot : sorted)
        sorters.emplace_back([&bag, &slot] { slot = bag.take(); });

    bag.drop("to Oslo");
    bag.drop("to Lima");
    for (auto& s : sorters)
        s.join();

    for (const auto& letter : sorted)
        std::cout << letter << '\n';
}
