#include <atomic>
#include <cassert>
#include <string>
#include <thread>
#include <vector>

class Match {
public:
    void start() {
        started_.store(1);
        started_.notify_one();
    }

    void warm_up() { ready_.fetch_add(1); }

    void play(int games) {
        while (started_.load() == 0) {
            started_.wait(0);
        }
        games_.fetch_add(games);
    }

    int games() const { return games_.load(); }
    int ready() const { return ready_.load(); }

private:
    std::atomic<int> started_{0};
    std::atomic<int> ready_{0};
    std::atomic<int> games_{0};
};

int main() {
    Match match;
    const std::vector<std::string> names{"kim", "lou"};

    std::vector<std::thread> players;
    for (const auto& name : names) {
        players.emplace_back([&match, &name] {
            match.warm_up();
            match.play(static_cast<int>(name.size()));
        });
    }

    match.start();

    for (auto& player : players) {
        player.join();
    }
    assert(match.ready() == 2);
    assert(match.games() == 6);
    return 0;
}
