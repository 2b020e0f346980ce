#include <atomic>
#include <cassert>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using Fork = std::counting_semaphore<1>;

class Diner {
public:
    Diner(std::string name, Fork& left, Fork& right)
        : name_(std::move(name)), left_(left), right_(right) {}

    void eat(std::atomic<int>& meals) {
        left_.acquire();
        right_.acquire();
        meals.fetch_add(1);
        right_.release();
        left_.release();
    }

    const std::string& name() const { return name_; }

private:
    std::string name_;
    Fork& left_;
    Fork& right_;
};

int main() {
    std::vector<std::unique_ptr<Fork>> forks;
    for (int i = 0; i < 3; ++i) {
        forks.push_back(std::make_unique<Fork>(1));
    }

    std::vector<Diner> diners;
    diners.emplace_back("plato", *forks[0], *forks[1]);
    diners.emplace_back("zeno", *forks[1], *forks[2]);
    diners.emplace_back("thales", *forks[2], *forks[0]);

    std::atomic<int> meals{0};
    std::vector<std::thread> threads;
    for (auto& diner : diners) {
        threads.emplace_back([&diner, &meals] { diner.eat(meals); });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    assert(meals.load() == 3);
    return 0;
}
