// A scan starts a helper and returns early when somebody has asked it to stop. The helper's thread is then destroyed
// without having been joined, which ends the process.
#include <atomic>
#include <thread>

static std::atomic<bool> stop_asked{false};

static int scan() {
    int found = 0;
    std::thread helper([&found] { found = 1; });
    if (stop_asked) {
        return -1;
    }
    helper.join();
    return found;
}

int main() {
    std::thread user([] { stop_asked = true; });
    scan();
    user.join();
    return 0;
}
