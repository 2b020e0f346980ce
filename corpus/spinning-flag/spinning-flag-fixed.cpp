// A spin lock is released by a guard's destructor.
#include <atomic>
#include <stdexcept>
#include <thread>

static std::atomic_flag busy = ATOMIC_FLAG_INIT;
static int sum;

struct Guard {
    Guard() {
        while (busy.test_and_set()) {
        }
    }
    ~Guard() { busy.clear(); }
};

static void record(int value) {
    Guard guard;
    if (value < 0) {
        throw std::domain_error("negative");
    }
    sum += value;
}

static void measure(int value) {
    try {
        record(value);
    } catch (const std::domain_error &) {
        // Not counted.
    }
}

int main() {
    std::thread other(measure, -1);
    measure(5);
    other.join();
    return sum == 5 ? 0 : 1;
}
