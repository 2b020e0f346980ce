#include <barrier>
#include <cassert>
#include <thread>
#include <utility>
#include <vector>

class Rod {
public:
    Rod() : now_{0, 8}, next_(2, 0) {}

    void compute(int i) {
        next_[i] = (now_[i] * 3 + now_[1 - i]) / 4;
    }

    void advance() noexcept {
        std::swap(now_, next_);
        ++steps_;
    }

    int at(int i) const { return now_.at(i); }
    int steps() const { return steps_; }

private:
    std::vector<int> now_;
    std::vector<int> next_;
    int steps_ = 0;
};

int main() {
    Rod rod;
    auto on_step = [&rod]() noexcept { rod.advance(); };
    std::barrier sync(2, on_step);

    auto worker = [&rod, &sync](int cell) {
        for (int step = 0; step < 2; ++step) {
            assert(rod.steps() == step);
            rod.compute(cell);
            sync.arrive_and_wait();
        }
    };

    std::thread left(worker, 0);
    std::thread right(worker, 1);
    left.join();
    right.join();

    assert(rod.steps() == 2);
    assert(rod.at(0) == 3);
    assert(rod.at(1) == 5);
    return 0;
}
