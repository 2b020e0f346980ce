#include <cassert>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <variant>

struct Idle {
    int floor;
};

struct Moving {
    int to;
};

struct Broken {
    std::string reason;
};

using State = std::variant<Idle, Moving, Broken>;

struct Describe {
    std::string operator()(const Idle&) const { return "idle"; }
    std::string operator()(const Moving&) const { return "moving"; }
    std::string operator()(const Broken& broken) const { return broken.reason; }
};

class Elevator {
public:
    bool call(int floor) {
        std::lock_guard lock(mutex_);
        if (!std::holds_alternative<Idle>(state_)) {
            return false;
        }
        state_ = Moving{floor};
        return true;
    }

    void arrive() {
        std::lock_guard lock(mutex_);
        if (auto* moving = std::get_if<Moving>(&state_)) {
            int floor = moving->to;
            state_.emplace<Idle>(Idle{floor});
        }
    }

    void fail(std::string reason) {
        std::lock_guard lock(mutex_);
        state_ = Broken{std::move(reason)};
    }

    std::string describe() const {
        std::lock_guard lock(mutex_);
        return std::visit(Describe{}, state_);
    }

private:
    mutable std::mutex mutex_;
    State state_{Idle{0}};
};

int main() {
    Elevator elevator;
    std::thread rider([&] {
        elevator.call(4);
        elevator.arrive();
    });
    std::thread inspector([&] { elevator.fail("cable"); });

    std::string text = elevator.describe();
    assert(text == "idle" || text == "moving" || text == "cable");

    rider.join();
    inspector.join();
    assert(elevator.describe() == "cable");
    assert(!elevator.call(2));
    return 0;
}
