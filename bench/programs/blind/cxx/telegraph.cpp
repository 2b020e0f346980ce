#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <variant>

struct Hangup {};
using Message = std::variant<std::string, int, Hangup>;

class Wire {
public:
    void send(Message message) {
        {
            std::scoped_lock lock(mutex_);
            messages_.push_back(std::move(message));
        }
        arrived_.notify_one();
    }

    Message receive() {
        std::unique_lock lock(mutex_);
        arrived_.wait(lock, [this] { return !messages_.empty(); });
        Message message = std::move(messages_.front());
        messages_.pop_front();
        return message;
    }

private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<Message> messages_;
};

struct Operator {
    std::string text;
    int sum = 0;
    int hangups = 0;

    void operator()(const std::string& part) { text += part; }
    void operator()(int number) { sum += number; }
    void operator()(Hangup) { ++hangups; }
};

int main() {
    Wire wire;

    std::thread north([&wire] {
        wire.send(std::string("stop"));
        wire.send(Hangup{});
    });
    std::thread south([&wire] {
        wire.send(42);
        wire.send(Hangup{});
    });

    Operator desk;
    while (desk.hangups < 2) {
        std::visit(desk, wire.receive());
    }

    north.join();
    south.join();
    assert(desk.text == "stop");
    assert(desk.sum == 42);
    return 0;
}
