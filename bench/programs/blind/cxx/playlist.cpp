#include <cassert>
#include <cstddef>
#include <list>
#include <mutex>
#include <string>
#include <thread>

class Playlist {
public:
    using Cursor = std::list<std::string>::const_iterator;

    Playlist() : songs_{"intro", "verse", "outro"} {}

    Cursor start() {
        std::scoped_lock lock(mutex_);
        return songs_.begin();
    }

    std::size_t play(Cursor& cursor) {
        std::scoped_lock lock(mutex_);
        if (cursor == songs_.end()) {
            return 0;
        }
        std::size_t length = cursor->size();
        ++cursor;
        return length;
    }

    void skip_first() {
        std::scoped_lock lock(mutex_);
        songs_.pop_front();
    }

    void add(const std::string& song) {
        std::scoped_lock lock(mutex_);
        songs_.push_back(song);
    }

    std::size_t size() {
        std::scoped_lock lock(mutex_);
        return songs_.size();
    }

private:
    std::mutex mutex_;
    std::list<std::string> songs_;
};

int main() {
    Playlist playlist;

    std::thread player([&playlist] {
        Playlist::Cursor cursor = playlist.start();
        std::size_t first = playlist.play(cursor);
        assert(first == 5);
    });
    std::thread listener([&playlist] { playlist.skip_first(); });
    playlist.add("encore");

    player.join();
    listener.join();
    assert(playlist.size() == 3);
    return 0;
}
