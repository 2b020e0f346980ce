#include <cassert>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct Account {
    Account(std::string owner_name, int initial)
        : owner(std::move(owner_name)), balance(initial) {}

    const std::string owner;
    std::mutex mutex;
    int balance;
};

class Bank {
public:
    void open(const std::string& owner, int amount) {
        accounts_.push_back(std::make_unique<Account>(owner, amount));
    }

    bool transfer(int from, int to, int amount) {
        Account& source = *accounts_[from];
        Account& target = *accounts_[to];
        std::scoped_lock lock(source.mutex, target.mutex);
        if (source.balance < amount) {
            return false;
        }
        source.balance -= amount;
        target.balance += amount;
        return true;
    }

    int total() {
        std::scoped_lock lock(accounts_[0]->mutex, accounts_[1]->mutex);
        return accounts_[0]->balance + accounts_[1]->balance;
    }

    int balance(int index) {
        std::lock_guard lock(accounts_[index]->mutex);
        return accounts_[index]->balance;
    }

private:
    std::vector<std::unique_ptr<Account>> accounts_;
};

int main() {
    Bank bank;
    bank.open("ada", 60);
    bank.open("bob", 40);

    std::thread salary([&bank] {
        bool ok = bank.transfer(0, 1, 10);
        assert(ok);
    });
    std::thread rent([&bank] {
        bool ok = bank.transfer(1, 0, 25);
        assert(ok);
    });

    assert(bank.total() == 100);

    salary.join();
    rent.join();
    assert(bank.balance(0) == 75);
    assert(bank.balance(1) == 25);
    return 0;
}
