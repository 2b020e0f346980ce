// A subject keeps its observer weakly, asks whether it is still there, and then calls it. The owner can let go in between.
#include <memory>
#include <thread>

struct Observer {
    int calls = 0;
    void notify() { calls++; }
};

static void announce(const std::weak_ptr<Observer> &observer) {
    if (!observer.expired()) {
        observer.lock()->notify();
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
