// A counter that does not get the lock in time tries again.
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

static std::timed_mutex lock;
static int visits;

static void visit() {
    std::unique_lock<std::timed_mutex> guard(lock, std::defer_lock);
    while (!guard.try_lock_for(std::chrono::milliseconds(10))) {
    }
    int seen = visits;
    visits = seen + 1;
}

int main() {
    std::thread other(visit);
    visit();
    other.join();
    assert(visits == 2);
    return 0;
}
