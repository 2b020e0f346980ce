#include <atomic>
#include <barrier>
#include <cassert>
#include <thread>
#include <vector>

class Relay {
public:
    explicit Relay(int runners) : exchange_(runners), laps_(runners, 0) {}

    void cancel() { rain_.store(true); }

    void run(int runner) {
        for (int lap = 0; lap < 2; ++lap) {
            if (rain_.load()) {
                exchange_.arrive_and_drop();
                return;
            }
            ++laps_[runner];
            exchange_.arrive_and_wait();
        }
    }

    int laps(int runner) const { return laps_.at(runner); }

private:
    std::atomic<bool> rain_{false};
    std::barrier<> exchange_;
    std::vector<int> laps_;
};

int main() {
    Relay relay(2);
    std::vector<std::thread> team;
    for (int runner = 0; runner < 2; ++runner) {
        team.emplace_back([&relay, runner] { relay.run(runner); });
    }

    relay.cancel();

    for (auto& member : team) {
        member.join();
    }
    for (int runner = 0; runner < 2; ++runner) {
        int laps = relay.laps(runner);
        assert(laps >= 0 && laps <= 2);
    }
    return 0;
}
