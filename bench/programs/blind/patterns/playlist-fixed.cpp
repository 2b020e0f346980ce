#include <cassert>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct Track {
    std::string title;
    int seconds;
};

class Playlist {
public:
    void add(Track track)
    {
        int seconds = track.seconds;
        std::lock_guard guard(mutex_);
        tracks_.push_back(std::move(track));
        seconds_ += seconds;
    }

    void verify() const
    {
        std::lock_guard guard(mutex_);
        int sum = 0;
        for (const auto& t : tracks_)
            sum += t.seconds;
        assert(sum == seconds_);
    }

    int seconds() const { return seconds_; }

private:
    mutable std::mutex mutex_;
    std::vector<Track> tracks_;
    int seconds_ = 0;
};

int main()
{
    Playlist list;

    std::thread editor([&list] {
        list.add({"Overture", 180});
        list.add({"Finale", 240});
    });
    std::thread checker([&list] {
        list.verify();
    });
    editor.join();
    checker.join();

    std::cout << list.seconds() << " seconds of music\n";
}
