// A publisher walks over its subscribers while somebody subscribes. The vector grows, its elements move, and the
// iterators lead into freed memory.
#include <thread>
#include <vector>

static std::vector<int> subscribers;
static int delivered;

static void publish() {
    for (int subscriber : subscribers) {
        delivered += subscriber;
    }
}

int main() {
    subscribers.reserve(2);
    subscribers.push_back(1);
    subscribers.push_back(2);
    std::thread publisher(publish);
    subscribers.push_back(4);
    publisher.join();
    return 0;
}
