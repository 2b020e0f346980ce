#include <iostream>
#include <mutex>
#include <thread>
#include <vector>

class Beacon {
public:
    Beacon() : pings_(4, 0)
    {
        sender_ = std::jthread([this] { run(); });
    }

    void ping(std::size_t channel)
    {
        std::lock_guard guard(mutex_);
        ++pings_[channel];
    }

    int total()
    {
        std::lock_guard guard(mutex_);
        int sum = 0;
        for (int p : pings_)
            sum += p;
        return sum;
    }

private:
    void run()
    {
        for (std::size_t channel = 0; channel < 3; ++channel)
            ping(channel);
    }

    std::mutex mutex_;
    std::vector<int> pings_;
    std::jthread sender_;
};

int main()
{
    int total = 0;
    {
        Beacon beacon;
        beacon.ping(3);
        total = beacon.total();
    }
    std::cout << "at least " << total << " pings sent\n";
}
