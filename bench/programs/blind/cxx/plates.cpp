#include <atomic>
#include <cassert>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct Plate {
    std::string label;
    Plate* below = nullptr;
};

class Rack {
public:
    ~Rack() { drain(); }

    void push(std::string label) {
        auto plate = std::make_unique<Plate>();
        plate->label = std::move(label);
        plate->below = top_.load();
        while (!top_.compare_exchange_strong(plate->below, plate.get())) {
        }
        plate.release();
        stacked_.fetch_add(1);
        stacked_.notify_one();
    }

    void wait_for(int count) {
        int seen = stacked_.load();
        while (seen < count) {
            stacked_.wait(seen);
            seen = stacked_.load();
        }
    }

    std::vector<std::string> drain() {
        std::vector<std::string> labels;
        std::unique_ptr<Plate> plate(top_.exchange(nullptr));
        while (plate) {
            labels.push_back(plate->label);
            plate.reset(plate->below);
        }
        return labels;
    }

private:
    std::atomic<Plate*> top_{nullptr};
    std::atomic<int> stacked_{0};
};

int main() {
    Rack rack;
    std::thread left([&rack] { rack.push("blue"); });
    std::thread right([&rack] { rack.push("white"); });

    rack.wait_for(2);
    std::vector<std::string> labels = rack.drain();
    assert(labels.size() == 2);
    assert(labels[0] != labels[1]);

    left.join();
    right.join();
    assert(rack.drain().empty());
    return 0;
}
