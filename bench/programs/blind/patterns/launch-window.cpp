#include <condition_variable>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

class LaunchPad {
public:
    void clear(std::string by)
    {
        std::lock_guard guard(mutex_);
        cleared_by_ = std::move(by);
        cleared_.notify_one();
    }

    std::string await_clearance()
    {
        std::unique_lock lock(mutex_);
        do {
            cleared_.wait(lock);
        } while (cleared_by_.empty());
        return cleared_by_;
    }

private:
    std::mutex mutex_;
    std::condition_variable cleared_;
    std::string cleared_by_;
};

int main()
{
    LaunchPad pad;
    std::string authority;

    std::thread rocket([&] {
        authority = pad.await_clearance();
    });
    std::thread tower([&] {
        pad.clear("tower two");
    });
    rocket.join();
    tower.join();

    std::cout << "launched, cleared by " << authority << '\n';
}
