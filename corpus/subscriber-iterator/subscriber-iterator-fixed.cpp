// A publisher copies its list of subscribers under the lock and walks over the copy.
#include <mutex>
#include <thread>
#include <vector>

static std::mutex lock;
static std::vector<int> subscribers;
static int delivered;

static void publish() {
    std::unique_lock<std::mutex> guard(lock);
    std::vector<int> copy = subscribers;
    guard.unlock();
    for (int subscriber : copy) {
        delivered += subscriber;
    }
}

int main() {
    subscribers.reserve(2);
    subscribers.push_back(1);
    subscribers.push_back(2);
    std::thread publisher(publish);
    {
        std::lock_guard<std::mutex> guard(lock);
        subscribers.push_back(4);
    }
    publisher.join();
    return 0;
}
