// Routes are loaded once, by whoever comes first.
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

static std::once_flag loaded;
static std::vector<int> routes;

static void load() { routes.push_back(10); }

static void prepare() { std::call_once(loaded, load); }

int main() {
    std::thread other(prepare);
    prepare();
    other.join();
    assert(routes.size() == 1);
    return 0;
}
