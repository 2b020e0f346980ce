// A server reads its configuration through a shared_ptr that a reload replaces. The counts are atomic, the pointer is
// not: a copy can meet the assignment half done.
#include <memory>
#include <thread>

struct Configuration {
    int timeout;
};

static std::shared_ptr<Configuration> current = std::make_shared<Configuration>(Configuration{30});

static void reload() { current = std::make_shared<Configuration>(Configuration{60}); }

static int timeout() {
    std::shared_ptr<Configuration> mine = current;
    return mine->timeout;
}

int main() {
    std::thread reloader(reload);
    int seen = timeout();
    reloader.join();
    return seen == 30 || seen == 60 ? 0 : 1;
}
