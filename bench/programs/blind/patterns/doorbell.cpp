#include <atomic>
#include <deque>
#include <iostream>
#include <mutex>
#include <thread>

class Porch {
public:
    void deliver(int parcel)
    {
        {
            std::lock_guard guard(mutex_);
            parcels_.push_back(parcel);
        }
        bell_.fetch_add(1);
        bell_.notify_one();
    }

    int collect()
    {
        int parcel = 0;
        while (!try_take(parcel)) {
            int heard = bell_.load();
            bell_.wait(heard);
        }
        return parcel;
    }

private:
    bool try_take(int& parcel)
    {
        std::lock_guard guard(mutex_);
        if (parcels_.empty())
            return false;
        parcel = parcels_.front();
        parcels_.pop_front();
        return true;
    }

    std::mutex mutex_;
    std::deque<int> parcels_;
    std::atomic<int> bell_{0};
};

int main()
{
    Porch porch;
    int got = 0;

    std::thread resident([&] { got = porch.collect(); });
    std::thread driver([&] {
        porch.deliver(1234);
    });
    resident.join();
    driver.join();

    std::cout << "parcel " << got << " is in the house\n";
}
