// A shop looks whether an article is in stock and then sells it. Both steps are locked, but not together: the other sale
// can take the last one in between, and nobody catches what map::at throws.
#include <map>
#include <mutex>
#include <string>
#include <thread>

class Stock {
public:
    void add(const std::string &article) {
        std::lock_guard<std::mutex> guard(lock_);
        articles_[article]++;
    }
    bool has(const std::string &article) {
        std::lock_guard<std::mutex> guard(lock_);
        return articles_.count(article) != 0;
    }
    void take(const std::string &article) {
        std::lock_guard<std::mutex> guard(lock_);
        int &left = articles_.at(article);
        if (--left == 0) {
            articles_.erase(article);
        }
    }

private:
    std::mutex lock_;
    std::map<std::string, int> articles_;
};

static void sell(Stock &stock) {
    if (stock.has("needle")) {
        stock.take("needle");
    }
}

int main() {
    Stock stock;
    stock.add("needle");
    std::thread other(sell, std::ref(stock));
    sell(stock);
    other.join();
    return 0;
}
