// Two threads append to one log, each with the lock.
#include <mutex>
#include <string>
#include <thread>

static std::mutex lock;
static std::string log_text;

static void note(char mark) {
    std::lock_guard<std::mutex> guard(lock);
    log_text += mark;
}

int main() {
    std::thread other(note, 'a');
    note('b');
    other.join();
    return log_text.size() == 2 ? 0 : 1;
}
