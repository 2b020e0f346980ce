// Whether a seat is free and taking it are locked one by one.
#include <cassert>
#include <mutex>
#include <thread>

class Room {
public:
    bool is_free() {
        std::lock_guard<std::mutex> guard(lock_);
        return taken_ < 1;
    }

    void take() {
        std::lock_guard<std::mutex> guard(lock_);
        taken_++;
    }

    void enter() {
        if (is_free()) {
            take();
        }
    }

    int taken() {
        std::lock_guard<std::mutex> guard(lock_);
        return taken_;
    }

private:
    std::mutex lock_;
    int taken_ = 0;
};

int main() {
    Room room;
    std::thread other([&room] { room.enter(); });
    room.enter();
    other.join();
    assert(room.taken() == 1);
    return 0;
}
