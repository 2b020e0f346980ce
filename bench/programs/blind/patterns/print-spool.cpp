#include <atomic>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class Spool {
public:
    void submit(std::string job)
    {
        std::lock_guard guard(mutex_);
        jobs_.push_back(std::move(job));
    }

    bool empty() const
    {
        std::lock_guard guard(mutex_);
        return jobs_.empty();
    }

    std::string next()
    {
        std::lock_guard guard(mutex_);
        std::string job = jobs_.at(0);
        jobs_.erase(jobs_.begin());
        return job;
    }

private:
    mutable std::mutex mutex_;
    std::vector<std::string> jobs_;
};

void printer(Spool& spool, std::atomic<int>& printed)
{
    while (!spool.empty()) {
        std::string job = spool.next();
        printed += static_cast<int>(job.size());
    }
}

int main()
{
    Spool spool;
    std::atomic<int> printed{0};

    spool.submit("invoice");
    spool.submit("ticket");

    std::thread laser(printer, std::ref(spool), std::ref(printed));
    std::thread inkjet(printer, std::ref(spool), std::ref(printed));
    laser.join();
    inkjet.join();

    std::cout << printed << " characters printed\n";
}
