// A shop closes under the lock, so that no clerk is between looking and sleeping.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static std::atomic<bool> closed{false};

static void clerk() {
    std::unique_lock<std::mutex> guard(lock);
    changed.wait(guard, [] { return closed.load(); });
}

int main() {
    std::thread worker(clerk);
    {
        std::lock_guard<std::mutex> guard(lock);
        closed = true;
    }
    changed.notify_all();
    worker.join();
    return 0;
}
