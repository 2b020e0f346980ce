// A subject takes hold of its observer and calls it if there was one to take hold of.
#include <memory>
#include <thread>

struct Observer {
    int calls = 0;
    void notify() { calls++; }
};

static void announce(const std::weak_ptr<Observer> &observer) {
    if (auto held = observer.lock()) {
        held->notify();
    }
}

int main() {
    auto observer = std::make_shared<Observer>();
    std::weak_ptr<Observer> known = observer;
    std::thread subject(announce, std::cref(known));
    observer.reset();
    subject.join();
    return 0;
}
