#include <atomic>
#include <cassert>
#include <string>
#include <thread>
#include <vector>

class Court {
public:
    void serve() {
        turn_.store(1);
        turn_.notify_all();
    }

    void play(int me, char stroke) {
        const int other = 3 - me;
        for (int i = 0; i < 2; ++i) {
            await(me);
            rally_.push_back(stroke);
            turn_.store(other);
            turn_.notify_all();
        }
    }

    const std::string& rally() const { return rally_; }

private:
    void await(int me) {
        int now = turn_.load();
        while (now != me) {
            turn_.wait(now);
            now = turn_.load();
        }
    }

    std::atomic<int> turn_{0};
    std::string rally_;
};

int main() {
    Court court;
    std::vector<std::thread> players;
    players.emplace_back([&court] { court.play(1, 'f'); });
    players.emplace_back([&court] { court.play(2, 'b'); });

    court.serve();

    for (auto& player : players) {
        player.join();
    }
    assert(court.rally().size() == 4);
    assert(court.rally() == "fbfb");
    return 0;
}
