#include <cassert>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

class Account {
public:
    explicit Account(int initial) : balance_(initial) {}

    static void move_money(Account& from, Account& to, int amount) {
        std::lock_guard<std::mutex> source(from.mutex_);
        if (from.balance_ < amount) {
            return;
        }
        std::lock_guard<std::mutex> target(to.mutex_);
        from.balance_ -= amount;
        to.balance_ += amount;
    }

    int balance() {
        std::lock_guard<std::mutex> lock(mutex_);
        return balance_;
    }

private:
    std::mutex mutex_;
    int balance_;
};

int main() {
    std::map<std::string, std::unique_ptr<Account>> ledger;
    ledger.emplace("checking", std::make_unique<Account>(50));
    ledger.emplace("savings", std::make_unique<Account>(50));

    Account& checking = *ledger.at("checking");
    Account& savings = *ledger.at("savings");

    std::thread saver([&] {
        Account::move_money(checking, savings, 20);
    });
    std::thread spender([&] {
        Account::move_money(savings, checking, 30);
    });

    int glimpse = checking.balance();
    assert(glimpse >= 30);

    saver.join();
    spender.join();
    assert(checking.balance() == 60);
    assert(savings.balance() == 40);
    return 0;
}
