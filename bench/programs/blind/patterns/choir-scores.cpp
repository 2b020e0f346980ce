#include <atomic>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

class ScoreStand {
public:
    int page_count(std::size_t index)
    {
        mutex_.lock();
        int pages = scores_.at(index);
        ++lookups_;
        mutex_.unlock();
        return pages;
    }

    void clear()
    {
        std::lock_guard guard(mutex_);
        scores_.clear();
    }

    int lookups()
    {
        std::lock_guard guard(mutex_);
        return lookups_;
    }

private:
    std::mutex mutex_;
    std::vector<int> scores_{12, 30};
    int lookups_ = 0;
};

int main()
{
    ScoreStand stand;
    std::atomic<int> pages{0};

    std::thread singer([&] {
        try {
            pages = stand.page_count(1);
        } catch (const std::out_of_range&) {
            pages = -1;
        }
    });
    std::thread librarian([&] { stand.clear(); });
    singer.join();
    librarian.join();

    std::cout << stand.lookups() << " lookups, " << pages << " pages\n";
}
