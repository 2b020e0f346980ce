#include <algorithm>
#include <iostream>
#include <mutex>
#include <thread>
#include <vector>

struct Listener {
    int rings = 0;
    void ring() { ++rings; }
};

class AlarmBell {
public:
    void attach(Listener* l)
    {
        std::lock_guard guard(mutex_);
        listeners_.push_back(l);
    }

    void detach(Listener* l)
    {
        std::lock_guard guard(mutex_);
        auto gone = std::remove(listeners_.begin(), listeners_.end(), l);
        listeners_.erase(gone, listeners_.end());
    }

    void raise()
    {
        std::vector<Listener*> targets;
        {
            std::lock_guard guard(mutex_);
            targets = listeners_;
        }
        for (Listener* l : targets)
            l->ring();
    }

private:
    std::mutex mutex_;
    std::vector<Listener*> listeners_;
};

int main()
{
    AlarmBell bell;
    Listener hall;
    auto* office = new Listener;

    bell.attach(&hall);
    bell.attach(office);

    std::thread fire([&] { bell.raise(); });
    std::thread closing([&] {
        bell.detach(office);
        delete office;
    });
    fire.join();
    closing.join();

    std::cout << "hall rang " << hall.rings << " times\n";
}
