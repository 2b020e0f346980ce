#include <iostream>
#include <semaphore>
#include <thread>

class PermitTable {
public:
    int fee()
    {
        desks_.acquire();
        int fee = fee_;
        desks_.release();
        return fee;
    }

    void refresh(int issue)
    {
        desks_.acquire();
        if (issue_ < issue) {
            desks_.acquire();
            fee_ += 5;
            issue_ = issue;
            desks_.release();
        }
        desks_.release();
    }

    int issue() const { return issue_; }

private:
    static constexpr int kDesks = 2;
    std::counting_semaphore<kDesks> desks_{kDesks};
    int issue_ = 1;
    int fee_ = 40;
};

int main()
{
    PermitTable table;

    std::thread morning([&] { table.refresh(2); });
    std::thread evening([&] { table.refresh(3); });
    morning.join();
    evening.join();

    std::cout << "issue " << table.issue() << ", fee " << table.fee() << '\n';
}
