// Two printers share a queue, and each waits until there is a job.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

class Spooler {
public:
    void submit(int job) {
        std::lock_guard<std::mutex> guard(lock_);
        jobs_.push_back(job);
        filled_.notify_one();
    }
    int take() {
        std::unique_lock<std::mutex> guard(lock_);
        filled_.wait(guard, [this] { return !jobs_.empty(); });
        int job = jobs_.front();
        jobs_.pop_front();
        return job;
    }

private:
    std::mutex lock_;
    std::condition_variable filled_;
    std::deque<int> jobs_;
};

int main() {
    Spooler spooler;
    std::thread laser([&spooler] { spooler.take(); });
    std::thread inkjet([&spooler] { spooler.take(); });
    spooler.submit(1);
    spooler.submit(2);
    laser.join();
    inkjet.join();
    return 0;
}
