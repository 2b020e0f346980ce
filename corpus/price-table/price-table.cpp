// Prices are looked up while another thread adds one. The look-up walks over links that the insertion changes.
#include <map>
#include <thread>

static std::map<int, int> prices{{1, 100}, {3, 300}};

static int price(int article) {
    auto found = prices.find(article);
    return found == prices.end() ? 0 : found->second;
}

int main() {
    std::thread other([] { prices[2] = 200; });
    int seen = price(1);
    other.join();
    return seen == 100 ? 0 : 1;
}
