#include <deque>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

struct Entry {
    std::string player;
    int points = 0;
};

class HighScores {
public:
    Entry& join(const std::string& player)
    {
        std::lock_guard guard(mutex_);
        entries_.push_back({player, 0});
        return entries_.back();
    }

    void score(Entry& entry, int points)
    {
        std::lock_guard guard(mutex_);
        entry.points += points;
    }

    int best() const
    {
        int top = 0;
        for (const auto& e : entries_)
            top = e.points > top ? e.points : top;
        return top;
    }

private:
    std::mutex mutex_;
    std::deque<Entry> entries_;
};

void play(HighScores& scores, const std::string& name, int points)
{
    Entry& mine = scores.join(name);
    scores.score(mine, points);
}

int main()
{
    HighScores scores;

    std::thread a(play, std::ref(scores), "Kim", 120);
    std::thread b(play, std::ref(scores), "Noor", 150);
    a.join();
    b.join();

    std::cout << "best score " << scores.best() << '\n';
}
