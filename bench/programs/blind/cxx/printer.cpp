#include <cassert>
#include <condition_variable>
#include <future>
#include <mutex>
#include <queue>
#include <thread>
#include <utility>

class Printer {
public:
    using Job = std::packaged_task<int()>;

    Printer() : worker_([this] { run(); }) {}

    ~Printer() {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            closing_ = true;
        }
        wake_.notify_one();
        worker_.join();
    }

    std::future<int> submit(int pages) {
        Job job([pages] { return pages * 2; });
        std::future<int> result = job.get_future();
        {
            std::lock_guard<std::mutex> lock(mutex_);
            jobs_.push(std::move(job));
        }
        wake_.notify_one();
        return result;
    }

private:
    void run() {
        std::unique_lock<std::mutex> lock(mutex_);
        while (true) {
            wake_.wait(lock, [this] { return closing_ || !jobs_.empty(); });
            if (jobs_.empty()) {
                return;
            }
            Job job = std::move(jobs_.front());
            jobs_.pop();
            lock.unlock();
            job();
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    bool closing_ = false;
    std::queue<Job> jobs_;
    std::thread worker_;
};

int main() {
    std::future<int> letter;
    std::future<int> report;
    {
        Printer printer;
        std::thread client([&] { letter = printer.submit(1); });
        report = printer.submit(5);
        client.join();
    }
    assert(letter.get() == 2);
    assert(report.get() == 10);
    return 0;
}
