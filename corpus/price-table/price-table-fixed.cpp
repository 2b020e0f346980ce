// Prices are looked up and added under a lock.
#include <map>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::map<int, int> prices{{1, 100}, {3, 300}};

static int price(int article) {
    std::lock_guard<std::mutex> guard(lock);
    auto found = prices.find(article);
    return found == prices.end() ? 0 : found->second;
}

int main() {
    std::thread other([] {
        std::lock_guard<std::mutex> guard(lock);
        prices[2] = 200;
    });
    int seen = price(1);
    other.join();
    return seen == 100 ? 0 : 1;
}
