#include <array>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <thread>

enum Drink { Tea, Coffee, kDrinks };

class Bar {
public:
    void serve(Drink d)
    {
        std::lock_guard guard(mutex_);
        ++ready_[d];
        served_.notify_one();
    }

    void fetch(Drink d)
    {
        std::unique_lock lock(mutex_);
        served_.wait(lock, [&] { return ready_[d] > 0; });
        --ready_[d];
        ++fetched_;
    }

    int fetched() const { return fetched_; }

private:
    std::mutex mutex_;
    std::condition_variable served_;
    std::array<int, kDrinks> ready_{};
    int fetched_ = 0;
};

int main()
{
    Bar bar;

    std::thread ann([&bar] { bar.fetch(Coffee); });
    std::thread bob([&bar] { bar.fetch(Tea); });

    bar.serve(Tea);
    bar.serve(Coffee);
    ann.join();
    bob.join();

    std::cout << bar.fetched() << " drinks fetched\n";
}
