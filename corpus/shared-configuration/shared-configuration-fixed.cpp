// A server reads its configuration through a shared_ptr that a reload replaces; a lock protects the pointer, and each
// reader keeps what it copied.
#include <memory>
#include <mutex>
#include <thread>

struct Configuration {
    int timeout;
};

static std::mutex lock;
static std::shared_ptr<Configuration> current = std::make_shared<Configuration>(Configuration{30});

static void reload() {
    auto fresh = std::make_shared<Configuration>(Configuration{60});
    std::lock_guard<std::mutex> guard(lock);
    current.swap(fresh);
}

static int timeout() {
    std::unique_lock<std::mutex> guard(lock);
    std::shared_ptr<Configuration> mine = current;
    guard.unlock();
    return mine->timeout;
}

int main() {
    std::thread reloader(reload);
    int seen = timeout();
    reloader.join();
    return seen == 30 || seen == 60 ? 0 : 1;
}
