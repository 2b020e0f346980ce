#include <cassert>
#include <deque>
#include <mutex>
#include <semaphore>
#include <thread>
#include <vector>

class Dock {
public:
    void unload(int crate) {
        room_.acquire();
        {
            std::lock_guard<std::mutex> lock(mutex_);
            pile_.push_back(crate);
            assert(pile_.size() <= 1);
        }
        crates_.release();
    }

    int carry() {
        crates_.acquire();
        int crate = 0;
        {
            std::lock_guard<std::mutex> lock(mutex_);
            assert(!pile_.empty());
            crate = pile_.front();
            pile_.pop_front();
        }
        room_.release();
        return crate;
    }

private:
    std::mutex mutex_;
    std::counting_semaphore<1> room_{1};
    std::counting_semaphore<1> crates_{0};
    std::deque<int> pile_;
};

int main() {
    Dock dock;
    std::vector<int> carried;

    std::vector<std::jthread> crew;
    crew.emplace_back([&dock] { dock.unload(5); });
    crew.emplace_back([&dock] { dock.unload(7); });

    carried.push_back(dock.carry());
    carried.push_back(dock.carry());

    crew.clear();
    assert(carried.size() == 2);
    assert(carried[0] + carried[1] == 12);
    return 0;
}
