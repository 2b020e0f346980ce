// A scan joins its helper before it looks whether somebody has asked it to stop.
#include <atomic>
#include <thread>

static std::atomic<bool> stop_asked{false};

static int scan() {
    int found = 0;
    std::thread helper([&found] { found = 1; });
    helper.join();
    if (stop_asked) {
        return -1;
    }
    return found;
}

int main() {
    std::thread user([] { stop_asked = true; });
    scan();
    user.join();
    return 0;
}
