#include <atomic>
#include <functional>
#include <iostream>
#include <mutex>
#include <thread>

class DoorPanel {
public:
    using Listener = std::function<void()>;

    void on_press(Listener listener)
    {
        std::lock_guard guard(mutex_);
        listener_ = std::move(listener);
    }

    void press()
    {
        std::lock_guard guard(mutex_);
        ++presses_;
        if (listener_)
            listener_();
    }

    int presses() const
    {
        std::lock_guard guard(mutex_);
        return presses_;
    }

private:
    mutable std::mutex mutex_;
    Listener listener_;
    int presses_ = 0;
};

int main()
{
    DoorPanel panel;
    std::atomic<int> shown{-1};

    std::thread display([&] {
        panel.on_press([&] { shown = panel.presses(); });
    });
    std::thread visitor([&] {
        panel.press();
    });
    display.join();
    visitor.join();

    std::cout << "presses " << panel.presses() << ", shown " << shown << '\n';
}
