// Routes are loaded by whoever finds the table empty. Looking and loading are locked one by one, so that two threads load.
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex lock;
static std::vector<int> routes;

static bool is_empty() {
    std::lock_guard<std::mutex> guard(lock);
    return routes.empty();
}

static void load() {
    std::lock_guard<std::mutex> guard(lock);
    routes.push_back(10);
}

static void prepare() {
    if (is_empty()) {
        load();
    }
}

int main() {
    std::thread other(prepare);
    prepare();
    other.join();
    assert(routes.size() == 1);
    return 0;
}
