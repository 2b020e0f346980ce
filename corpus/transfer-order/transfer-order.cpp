// A transfer locks the account that it takes from and then the one that it gives to. Two transfers in opposite directions
// wait for each other.
#include <cassert>
#include <mutex>
#include <thread>

struct Account {
    std::mutex lock;
    int balance;
};

static void transfer(Account &from, Account &to, int amount) {
    std::lock_guard<std::mutex> first(from.lock);
    std::lock_guard<std::mutex> second(to.lock);
    from.balance -= amount;
    to.balance += amount;
}

int main() {
    Account checking{{}, 100};
    Account savings{{}, 50};
    std::thread other(transfer, std::ref(checking), std::ref(savings), 10);
    transfer(savings, checking, 20);
    other.join();
    assert(checking.balance + savings.balance == 150);
    return 0;
}
