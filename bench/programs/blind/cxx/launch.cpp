#include <atomic>
#include <cassert>
#include <deque>
#include <latch>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

class Checklist {
public:
    explicit Checklist(std::deque<int> steps) : steps_(std::move(steps)) {}

    std::optional<int> next() {
        std::lock_guard<std::mutex> lock(mutex_);
        if (steps_.empty()) {
            return std::nullopt;
        }
        int step = steps_.front();
        steps_.pop_front();
        return step;
    }

private:
    std::mutex mutex_;
    std::deque<int> steps_;
};

int main() {
    Checklist checklist({1, 2});
    std::latch finished(2);
    std::atomic<int> verified{0};

    auto engineer = [&] {
        int handled = 0;
        while (std::optional<int> step = checklist.next()) {
            verified += *step;
            ++handled;
        }
        if (handled == 0) {
            return;
        }
        finished.count_down();
    };

    std::vector<std::thread> crew;
    crew.emplace_back(engineer);
    crew.emplace_back(engineer);

    finished.wait();
    assert(verified.load() == 3);

    for (auto& member : crew) {
        member.join();
    }
    return 0;
}
