#include <cassert>
#include <cstddef>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

class Playlist {
public:
    explicit Playlist(std::list<std::string> songs) : songs_(std::move(songs)) {}

    void give_first_to(Playlist& other) {
        std::scoped_lock lock(mutex_, other.mutex_);
        if (!songs_.empty()) {
            other.songs_.splice(other.songs_.end(), songs_, songs_.begin());
        }
    }

    static std::size_t count(Playlist& a, Playlist& b) {
        std::scoped_lock lock(a.mutex_, b.mutex_);
        return a.songs_.size() + b.songs_.size();
    }

    std::list<std::string> take_all() {
        std::list<std::string> out;
        std::scoped_lock lock(mutex_);
        out.splice(out.begin(), songs_);
        return out;
    }

private:
    std::mutex mutex_;
    std::list<std::string> songs_;
};

int main() {
    Playlist mine({"polka", "waltz"});
    Playlist yours({"tango"});

    std::thread lend([&] { mine.give_first_to(yours); });
    std::thread borrow([&] { yours.give_first_to(mine); });

    assert(Playlist::count(yours, mine) == 3);

    lend.join();
    borrow.join();

    std::list<std::string> left = mine.take_all();
    std::list<std::string> right = yours.take_all();
    assert(left.size() == 2);
    assert(right.size() == 1);
    assert(left.back() == "tango" || left.back() == "polka");
    assert(Playlist::count(mine, yours) == 0);
    return 0;
}
