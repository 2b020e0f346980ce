// Two printers share a queue. One that was woken does not look again: the other printer may have taken the job meanwhile.
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
        if (jobs_.empty()) {
            filled_.wait(guard);
        }
        assert(!jobs_.empty());
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
