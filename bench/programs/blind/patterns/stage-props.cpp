#include <array>
#include <atomic>
#include <cassert>
#include <iostream>
#include <thread>

constexpr int kProps = 4;
constexpr int kNone = -1;

class PropBox {
public:
    PropBox()
    {
        for (int i = 0; i < kProps; ++i)
            below_[i] = i + 1 < kProps ? i + 1 : kNone;
    }

    int take()
    {
        int top = top_.load();
        while (top != kNone) {
            int rest = below_[top].load();
            if (top_.compare_exchange_strong(top, rest))
                return top;
        }
        return kNone;
    }

    void put(int prop)
    {
        int top = top_.load();
        do {
            below_[prop].store(top);
        } while (!top_.compare_exchange_strong(top, prop));
    }

private:
    std::atomic<int> top_{0};
    std::array<std::atomic<int>, kProps> below_;
};

PropBox box;
std::array<std::atomic<bool>, kProps> in_hand;

int grab()
{
    int prop = box.take();
    bool was_taken = in_hand[prop].exchange(true);
    assert(!was_taken);
    return prop;
}

void put_back(int prop)
{
    in_hand[prop] = false;
    box.put(prop);
}

int main()
{
    std::thread actor([] {
        int sword = grab();
        int lamp = grab();
        put_back(lamp);
        put_back(sword);
    });
    std::thread dresser([] {
        int hat = grab();
        int coat = grab();
        put_back(hat);
        put_back(coat);
    });
    actor.join();
    dresser.join();
    std::cout << "all props back\n";
}
