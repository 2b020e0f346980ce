// A counter tries to lock for a while and goes on without asking whether it got the lock.
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

static std::timed_mutex lock;
static int visits;

static void visit() {
    bool is_mine = lock.try_lock_for(std::chrono::milliseconds(10));
    int seen = visits;
    visits = seen + 1;
    if (is_mine) {
        lock.unlock();
    }
}

int main() {
    std::thread other(visit);
    visit();
    other.join();
    assert(visits == 2);
    return 0;
}
