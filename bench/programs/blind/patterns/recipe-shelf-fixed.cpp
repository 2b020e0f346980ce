#include <algorithm>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class RecipeShelf {
public:
    void put(const std::string& title)
    {
        std::lock_guard guard(mutex_);
        if (cards_.size() >= kRoom)
            drop_oldest();
        cards_.push_back(title);
    }

    void remove(const std::string& title)
    {
        std::lock_guard guard(mutex_);
        auto at = std::find(cards_.begin(), cards_.end(), title);
        if (at != cards_.end())
            cards_.erase(at);
    }

    int dropped() const { return dropped_; }

private:
    void drop_oldest()
    {
        cards_.erase(cards_.begin());
        ++dropped_;
    }

    static constexpr std::size_t kRoom = 1;
    std::mutex mutex_;
    std::vector<std::string> cards_;
    int dropped_ = 0;
};

void cook(RecipeShelf& shelf, const std::string& dish)
{
    shelf.put(dish);
    shelf.remove(dish);
}

int main()
{
    RecipeShelf shelf;

    std::thread soup(cook, std::ref(shelf), "soup");
    std::thread cake(cook, std::ref(shelf), "cake");
    soup.join();
    cake.join();

    std::cout << shelf.dropped() << " cards dropped\n";
}
