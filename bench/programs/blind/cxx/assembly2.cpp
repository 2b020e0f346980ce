#include <atomic>
#include <cassert>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

class Contest {
public:
    std::future<std::string> result() { return winner_.get_future(); }

    bool finish(std::string robot) {
        if (decided_.load()) {
            return false;
        }
        decided_.store(true);
        winner_.set_value(std::move(robot));
        return true;
    }

private:
    std::atomic<bool> decided_{false};
    std::promise<std::string> winner_;
};

int main() {
    Contest contest;
    std::future<std::string> result = contest.result();
    std::atomic<int> wins{0};

    std::vector<std::thread> robots;
    for (const char* name : {"welder", "riveter"}) {
        robots.emplace_back([&contest, &wins, name] {
            if (contest.finish(name)) {
                wins.fetch_add(1);
            }
        });
    }

    const std::string winner = result.get();
    assert(winner == "welder" || winner == "riveter");

    for (auto& robot : robots) {
        robot.join();
    }
    assert(wins.load() == 1);
    return 0;
}
