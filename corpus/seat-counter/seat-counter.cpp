// The free seats are counted atomically, but looking and taking are two operations: two bookings see the last seat.
#include <atomic>
#include <cassert>
#include <thread>

class Train {
public:
    bool book() {
        if (free_ > 0) {
            free_--;
            return true;
        }
        return false;
    }
    int free() const { return free_; }

private:
    std::atomic<int> free_{1};
};

int main() {
    Train train;
    std::thread other([&train] { train.book(); });
    train.book();
    other.join();
    assert(train.free() >= 0);
    return 0;
}
