#include <cassert>
#include <condition_variable>
#include <future>
#include <mutex>
#include <queue>
#include <thread>
#include <utility>
#include <vector>

class Printer {
public:
    Printer() : worker_(&Printer::run, this) {}

    ~Printer() {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            open_ = false;
        }
        wake_.notify_all();
        worker_.join();
    }

    std::future<int> submit(int pages) {
        std::packaged_task<int()> job([pages] { return pages + 1; });
        auto result = job.get_future();
        std::lock_guard<std::mutex> lock(mutex_);
        jobs_.push(std::move(job));
        wake_.notify_all();
        return result;
    }

private:
    void run() {
        for (;;) {
            std::packaged_task<int()> job;
            {
                std::unique_lock<std::mutex> lock(mutex_);
                wake_.wait(lock, [this] { return !open_ || !jobs_.empty(); });
                if (!open_) {
                    return;
                }
                job = std::move(jobs_.front());
                jobs_.pop();
            }
            job();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    bool open_ = true;
    std::queue<std::packaged_task<int()>> jobs_;
    std::thread worker_;
};

int main() {
    std::vector<std::future<int>> pages(2);
    {
        Printer printer;
        std::thread client([&] { pages[0] = printer.submit(3); });
        pages[1] = printer.submit(5);
        client.join();
    }
    int total = 0;
    for (auto& page : pages) {
        total += page.get();
    }
    assert(total == 10);
    return 0;
}
