#include <atomic>
#include <cassert>
#include <deque>
#include <mutex>
#include <semaphore>
#include <thread>
#include <vector>

class Dock {
public:
    void unload(int crate) {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            pile_.push_back(crate);
        }
        crates_.release();
    }

    int carry() {
        std::lock_guard<std::mutex> lock(mutex_);
        crates_.acquire();
        int crate = pile_.front();
        pile_.pop_front();
        return crate;
    }

private:
    std::mutex mutex_;
    std::counting_semaphore<4> crates_{0};
    std::deque<int> pile_;
};

int main() {
    Dock dock;
    std::atomic<int> carried{0};

    std::vector<std::jthread> crew;
    crew.emplace_back([&dock] { dock.unload(5); });
    crew.emplace_back([&dock] { dock.unload(7); });
    crew.emplace_back([&dock, &carried] {
        carried += dock.carry();
        carried += dock.carry();
    });

    for (auto& member : crew) {
        member.join();
    }
    assert(carried.load() == 12);
    return 0;
}
