#include <atomic>
#include <iostream>
#include <thread>
#include <vector>

class CanalGate {
public:
    void open()
    {
        open_.store(true);
        open_.notify_all();
    }

    void close()
    {
        open_.store(false);
    }

    void pass()
    {
        open_.wait(false);
        ++passed_;
    }

    int passed() const { return passed_.load(); }

private:
    std::atomic<bool> open_{false};
    std::atomic<int> passed_{0};
};

int main()
{
    CanalGate gate;
    std::vector<std::thread> boats;

    for (int i = 0; i < 2; ++i)
        boats.emplace_back([&gate] { gate.pass(); });

    gate.open();
    gate.close();
    for (auto& boat : boats)
        boat.join();

    std::cout << gate.passed() << " boats passed\n";
}
