#include <algorithm>
#include <cassert>
#include <iostream>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

struct Tile {
    int id;
    int pixels;
};

class TileCache {
public:
    int pixels(int id)
    {
        {
            std::shared_lock reading(mutex_);
            if (const Tile* t = find(id))
                return t->pixels;
        }
        std::unique_lock writing(mutex_);
        if (const Tile* t = find(id))
            return t->pixels;
        tiles_.push_back({id, id * id});
        return tiles_.back().pixels;
    }

    std::size_t size() const
    {
        std::shared_lock reading(mutex_);
        return tiles_.size();
    }

private:
    const Tile* find(int id) const
    {
        auto it = std::find_if(tiles_.begin(), tiles_.end(),
                               [id](const Tile& t) { return t.id == id; });
        return it == tiles_.end() ? nullptr : &*it;
    }

    mutable std::shared_mutex mutex_;
    std::vector<Tile> tiles_;
};

int main()
{
    TileCache cache;

    std::thread map([&] { cache.pixels(16); });
    std::thread inset([&] { cache.pixels(16); });
    map.join();
    inset.join();

    std::cout << cache.size() << " tile cached\n";
    assert(cache.size() == 1);
}
