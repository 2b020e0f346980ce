// A shop closes by setting an atomic flag and notifying, without the lock: a clerk who has just looked at the flag and does
// not sleep yet misses it.
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
    closed = true;
    changed.notify_all();
    worker.join();
    return 0;
}
