#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
#include <variant>
#include <vector>

struct Idle {
    int floor;
};

struct Moving {
    int from;
    int to;
};

class Elevator {
public:
    explicit Elevator(int floor) : state_(Idle{floor}) {}

    void call(int floor) {
        std::lock_guard<std::mutex> lock(mutex_);
        if (const Idle* idle = std::get_if<Idle>(&state_)) {
            int here = idle->floor;
            state_ = Moving{here, floor};
        }
    }

    void arrive() {
        std::lock_guard<std::mutex> lock(mutex_);
        if (const Moving* moving = std::get_if<Moving>(&state_)) {
            int floor = moving->to;
            state_ = Idle{floor};
        }
    }

    bool moving() const {
        std::lock_guard<std::mutex> lock(mutex_);
        return std::holds_alternative<Moving>(state_);
    }

    int destination() const {
        std::lock_guard<std::mutex> lock(mutex_);
        return std::get<Moving>(state_).to;
    }

private:
    mutable std::mutex mutex_;
    std::variant<Idle, Moving> state_;
};

int main() {
    Elevator elevator(0);
    std::atomic<int> shown{-1};

    std::vector<std::thread> parts;
    parts.emplace_back([&elevator] { elevator.arrive(); });
    parts.emplace_back([&elevator, &shown] {
        if (elevator.moving()) {
            shown = elevator.destination();
        }
    });
    elevator.call(3);

    for (auto& part : parts) {
        part.join();
    }
    assert(shown == -1 || shown == 3);
    return 0;
}
