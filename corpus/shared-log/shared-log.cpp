// Two threads append to one log. A string that two threads change at once is broken.
#include <string>
#include <thread>

static std::string log_text;

static void note(char mark) { log_text += mark; }

int main() {
    std::thread other(note, 'a');
    note('b');
    other.join();
    return log_text.size() == 2 ? 0 : 1;
}
