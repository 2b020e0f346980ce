// Entries are looked up for reading and added for writing; what was found out while reading no longer holds then.
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

class Directory {
public:
    void enter(int key) {
        bool is_known;
        {
            std::shared_lock<std::shared_mutex> guard(lock_);
            is_known = key_ == key;
        }
        if (!is_known) {
            std::unique_lock<std::shared_mutex> guard(lock_);
            key_ = key;
            ++entered_;
        }
    }

    int entered() {
        std::shared_lock<std::shared_mutex> guard(lock_);
        return entered_;
    }

private:
    std::shared_mutex lock_;
    int key_ = 0;
    int entered_ = 0;
};

int main() {
    Directory directory;
    std::thread other([&] { directory.enter(7); });
    directory.enter(7);
    other.join();
    assert(directory.entered() == 1);
}
