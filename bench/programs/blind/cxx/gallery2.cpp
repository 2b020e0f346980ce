#include <atomic>
#include <cassert>
#include <memory>
#include <string>
#include <thread>
#include <utility>

struct Painting {
    std::string title;
    int width;
    int height;
};

class Visitor {
public:
    explicit Visitor(std::weak_ptr<const Painting> label) : label_(std::move(label)) {}

    int measure() const {
        if (label_.expired()) {
            return 0;
        }
        std::shared_ptr<const Painting> painting = label_.lock();
        return painting->width + painting->height;
    }

private:
    std::weak_ptr<const Painting> label_;
};

int main() {
    auto painting = std::make_shared<const Painting>(Painting{"still life", 30, 40});
    Visitor first(painting);
    Visitor second(painting);
    std::atomic<int> measured{0};

    std::thread student([&measured, first] {
        measured += first.measure();
    });
    std::thread critic([&measured, second] {
        measured += second.measure();
    });

    painting.reset();

    student.join();
    critic.join();

    int total = measured.load();
    assert(total == 0 || total == 70 || total == 140);
    return 0;
}
