// A transfer takes both locks at once, in whatever order scoped_lock finds.
#include <cassert>
#include <mutex>
#include <thread>

struct Account {
    std::mutex lock;
    int balance;
};

static void transfer(Account &from, Account &to, int amount) {
    std::scoped_lock both(from.lock, to.lock);
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
