#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

struct Theme {
    std::string name;
    int contrast;
};

class Settings {
public:
    Settings() : theme_(std::make_shared<Theme>(Theme{"light", 3})) {}

    std::shared_ptr<const Theme> theme() const
    {
        std::lock_guard guard(mutex_);
        return theme_;
    }

    void change(std::string name, int contrast)
    {
        auto fresh = std::make_shared<Theme>(Theme{std::move(name), contrast});
        std::lock_guard guard(mutex_);
        theme_ = std::move(fresh);
    }

private:
    mutable std::mutex mutex_;
    std::shared_ptr<Theme> theme_;
};

int main()
{
    Settings settings;
    int shown = 0;

    std::thread painter([&] {
        auto theme = settings.theme();
        shown = theme->contrast;
    });
    std::thread menu([&] {
        settings.change("night", 7);
    });
    painter.join();
    menu.join();

    std::cout << "painted with contrast " << shown << '\n';
}
