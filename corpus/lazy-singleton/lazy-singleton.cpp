// A dictionary is made when it is first needed, with a check before the lock and one behind it. It is published before it
// is filled, so that the first check can be passed too early.
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

struct Dictionary {
    std::vector<int> words;
};

static std::mutex lock;
static Dictionary *volatile dictionary;

static Dictionary &instance() {
    if (dictionary == nullptr) {
        std::lock_guard<std::mutex> guard(lock);
        if (dictionary == nullptr) {
            dictionary = new Dictionary;
            dictionary->words.push_back(42);
        }
    }
    return *dictionary;
}

static void look_up() {
    assert(instance().words.size() == 1);
}

int main() {
    std::thread other(look_up);
    look_up();
    other.join();
    delete dictionary;
    return 0;
}
