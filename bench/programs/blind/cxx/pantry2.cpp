#include <cassert>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

struct Shelf {
    std::mutex mutex;
    std::unordered_map<std::string, int> stock;
};

class Pantry {
public:
    Pantry() {
        upper_.stock = {{"flour", 1}, {"sugar", 1}};
    }

    bool restock(const std::string& item) {
        return move_one(upper_, lower_, item);
    }

    bool put_back(const std::string& item) {
        return move_one(lower_, upper_, item);
    }

    std::optional<int> take(const std::string& item) {
        std::scoped_lock lock(lower_.mutex, upper_.mutex);
        for (Shelf* shelf : {&lower_, &upper_}) {
            if (auto it = shelf->stock.find(item); it != shelf->stock.end()) {
                int amount = it->second;
                shelf->stock.erase(it);
                return amount;
            }
        }
        return std::nullopt;
    }

private:
    static bool move_one(Shelf& from, Shelf& to, const std::string& item) {
        std::scoped_lock lock(from.mutex, to.mutex);
        auto node = from.stock.extract(item);
        if (node.empty()) {
            return false;
        }
        to.stock.insert(std::move(node));
        return true;
    }

    Shelf upper_;
    Shelf lower_;
};

int main() {
    Pantry pantry;
    std::optional<int> baker;

    std::thread helper([&] {
        pantry.restock("flour");
        pantry.put_back("flour");
    });
    std::thread cook([&] { baker = pantry.take("flour"); });

    std::optional<int> sugar = pantry.take("sugar");

    helper.join();
    cook.join();
    assert(sugar.value() == 1);
    assert(baker.value() == 1);
    assert(!pantry.take("flour").has_value());
    return 0;
}
