// A dictionary is made when it is first needed; the language sees to it that it is made once.
#include <cassert>
#include <thread>
#include <vector>

struct Dictionary {
    std::vector<int> words;
    Dictionary() { words.push_back(42); }
};

static Dictionary &instance() {
    static Dictionary dictionary;
    return dictionary;
}

static void look_up() {
    assert(instance().words.size() == 1);
}

int main() {
    std::thread other(look_up);
    look_up();
    other.join();
    return 0;
}
