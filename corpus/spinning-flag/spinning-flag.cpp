// A spin lock is released by hand. A measurement that throws leaves it taken, and the next one spins for ever.
#include <atomic>
#include <stdexcept>
#include <thread>

static std::atomic_flag busy = ATOMIC_FLAG_INIT;
static int sum;

static void record(int value) {
    while (busy.test_and_set()) {
    }
    if (value < 0) {
        throw std::domain_error("negative");
    }
    sum += value;
    busy.clear();
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
