// A seat is taken only if the number is still the one that was seen.
#include <atomic>
#include <cassert>
#include <thread>

class Train {
public:
    bool book() {
        int seen = free_;
        while (seen > 0) {
            if (free_.compare_exchange_strong(seen, seen - 1)) {
                return true;
            }
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
