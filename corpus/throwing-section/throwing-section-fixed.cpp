// A parser locks its table with a guard, which unlocks on every way out.
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

static std::mutex lock;
static int total;

static void add(const std::string &text) {
    std::lock_guard<std::mutex> guard(lock);
    total += std::stoi(text);
}

static void import_line(const std::string &text) {
    try {
        add(text);
    } catch (const std::invalid_argument &) {
        // Bad lines are skipped.
    }
}

int main() {
    std::thread other(import_line, "seven");
    import_line("7");
    other.join();
    return total == 7 ? 0 : 1;
}
