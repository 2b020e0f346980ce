// A shop looks whether an article is in stock and sells it, in one step.
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
    bool take(const std::string &article) {
        std::lock_guard<std::mutex> guard(lock_);
        auto found = articles_.find(article);
        if (found == articles_.end()) {
            return false;
        }
        if (--found->second == 0) {
            articles_.erase(found);
        }
        return true;
    }

private:
    std::mutex lock_;
    std::map<std::string, int> articles_;
};

static void sell(Stock &stock) { stock.take("needle"); }

int main() {
    Stock stock;
    stock.add("needle");
    std::thread other(sell, std::ref(stock));
    sell(stock);
    other.join();
    return 0;
}
