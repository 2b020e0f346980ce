#include <atomic>
#include <cassert>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct Plate {
    explicit Plate(std::string text) : label(std::move(text)) {}
    std::string label;
    Plate* below = nullptr;
};

class Rack {
public:
    ~Rack() {
        while (pop() != nullptr) {
        }
    }

    void push(std::unique_ptr<Plate> plate) {
        Plate* fresh = plate.release();
        fresh->below = top_.load();
        while (!top_.compare_exchange_strong(fresh->below, fresh)) {
        }
    }

    std::unique_ptr<Plate> pop() {
        Plate* current = top_.load();
        while (current != nullptr) {
            Plate* next = current->below;
            if (top_.compare_exchange_strong(current, next)) {
                break;
            }
        }
        return std::unique_ptr<Plate>(current);
    }

private:
    std::atomic<Plate*> top_{nullptr};
};

int main() {
    Rack rack;
    rack.push(std::make_unique<Plate>("blue"));
    rack.push(std::make_unique<Plate>("white"));
    std::atomic<int> dried{0};

    std::vector<std::thread> helpers;
    for (int i = 0; i < 2; ++i) {
        helpers.emplace_back([&rack, &dried] {
            if (std::unique_ptr<Plate> plate = rack.pop()) {
                assert(!plate->label.empty());
                dried.fetch_add(1);
            }
        });
    }
    for (auto& helper : helpers) {
        helper.join();
    }
    assert(dried.load() == 2);
    return 0;
}
